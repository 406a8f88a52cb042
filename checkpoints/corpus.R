# Writes the six novels of Jane Austen (public domain), as packed in Debian's r-cran-janeaustenr, to FOLDER as text files.
#
#   Rscript corpus.R FOLDER
library(janeaustenr)
folder <- commandArgs(trailingOnly = TRUE)[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
for (novel in c("sensesensibility", "prideprejudice", "mansfieldpark", "emma", "northangerabbey", "persuasion")) {
  out <- file(file.path(folder, paste0(novel, ".txt")), open = "wb")
  writeLines(enc2utf8(get(novel)), out, useBytes = TRUE)
  close(out)
}
