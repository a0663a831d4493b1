/** The CuTe layout algebra: layouts, swizzles, and the operations on them. Depends on nothing. */
module tilewright.layout {
  exports tilewright.layout;
  exports tilewright.layout.bank;
  exports tilewright.layout.draw;
  exports tilewright.layout.expression;
  exports tilewright.layout.morphism;
}
