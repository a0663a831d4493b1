/** Typed PTX model, parser, printer and instruction tables. Depends on nothing. */
module tilewright.ptx {
  exports tilewright.ptx;
  exports tilewright.ptx.tensormap;
}
