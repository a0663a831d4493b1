/** Number formats, tensor-core arithmetic models and reference results. */
module tilewright.reference {
  requires transitive tilewright.layout;

  exports tilewright.numerics;
  exports tilewright.reference;
}
