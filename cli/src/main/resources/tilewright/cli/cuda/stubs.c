// Every call of the API that nothing else defines: it says so and fails.
int tw_unsupported(const char *name);
#define STUB(name) __attribute__((weak, visibility("default"))) int name(void) { return tw_unsupported(#name); }
#include CALLS
