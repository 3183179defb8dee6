// Without a guard, so it includes itself again and again.
include "endless.td"
