// The CUDA runtime API: memory and events that several processes use. Work is done before another process hears of it.
#include "runtime.h"

API Error cudaIpcGetMemHandle(Handle *h, void *address) { return done(tw_share(address, h)); }
API Error cudaIpcOpenMemHandle(void **address, Handle h, unsigned flags) {
  (void) flags;
  return done(tw_open_shared(&h, address));
}
API Error cudaIpcCloseMemHandle(void *address) { return done(tw_free(address)); }

API Error cudaIpcGetEventHandle(Handle *h, Event *e) {
  *h = (Handle) {0};
  return done(e == NULL ? INVALID_HANDLE : SUCCESS);
}
API Error cudaIpcOpenEventHandle(Event **e, Handle h) {
  (void) h;
  *e = tw_event_create();
  return done(SUCCESS);
}
