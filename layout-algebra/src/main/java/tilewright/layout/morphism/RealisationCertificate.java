package tilewright.layout.morphism;

import tilewright.layout.Certificate;
import tilewright.layout.Layout;

/** The morphism's realisation is the layout. */
record RealisationCertificate(Layout layout, TupleMorphism morphism) implements Certificate {
  @Override
  public boolean holds() {
    return morphism.layout().equals(layout);
  }

  @Override
  public String explain() {
    return morphism + " realises " + layout;
  }
}
