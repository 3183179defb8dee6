// The file it includes is broken.
include "broken.inc"
