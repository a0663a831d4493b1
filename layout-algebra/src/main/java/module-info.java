/** The CuTe layout algebra: layouts, swizzles, and the operations on them. Depends on nothing. */
module tilewright.layout {
  exports tilewright.layout;
  exports tilewright.layout.bank;
  exports tilewright.layout.coordinate;
  exports tilewright.layout.decision;
  exports tilewright.layout.draw;
  exports tilewright.layout.expression;
  exports tilewright.layout.f2;
  exports tilewright.layout.morphism;
  exports tilewright.layout.syntax;
  exports tilewright.layout.synthesis;
  exports tilewright.layout.tuple;
  exports tilewright.layout.xor;
}
