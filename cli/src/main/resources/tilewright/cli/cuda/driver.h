// What the parts of the CUDA driver API share.
#pragma once
#include "bridge.h"

typedef int Result;
typedef void *Stream;

// A call's result: its own error, or that of a launch after which nothing works.
static inline Result result(Result e) { return e != SUCCESS ? e : tw_sticky(); }
