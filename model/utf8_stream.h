// Utf8Stream: bytes go in as tokens bring them, only complete characters come out.
//
// A token ends anywhere, also inside a character: an emoji is often two or three tokens. Printing each token by itself
// shows rubbish; the stream holds bytes back until their character is complete. Bytes that can be no part of one become
// U+FFFD, as Unicode recommends (one for each maximal piece, standard section 3.9).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kv {

// What the first bytes of a text are, in UTF-8.
struct Utf8Piece {
  enum class Kind {
    character,   // a whole one
    unfinished,  // the text ends inside it
    invalid,     // no character begins like this
  };
  Kind kind;
  size_t bytes;  // its length, at least 1
};
// `text` must not be empty.
Utf8Piece first_utf8_piece(std::string_view text);

// The code point of a whole character.
char32_t code_point_of(std::string_view character);

class Utf8Stream {
 public:
  // The characters that `bytes` completes.
  std::string push(std::string_view bytes);
  // At the end: U+FFFD when the text stopped inside a character, else nothing.
  std::string flush();

 private:
  std::string held_;  // at most 3 bytes: the beginning of a character
};

}  // namespace kv
