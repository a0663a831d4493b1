package tilewright.layout.morphism;

import tilewright.layout.Layout;
import tilewright.layout.decision.Certificate;

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
