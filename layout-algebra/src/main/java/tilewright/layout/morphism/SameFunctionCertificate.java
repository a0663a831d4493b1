package tilewright.layout.morphism;

import java.util.ArrayList;
import java.util.List;
import tilewright.layout.Layout;
import tilewright.layout.decision.Certificate;
import tilewright.layout.tuple.IntTuple;

/**
 * Two morphisms realise one function: at each integer of a tuple that both domains refine, their layouts coalesce to
 * the same.
 */
record SameFunctionCertificate(IntTuple coarse, TupleMorphism before, TupleMorphism after) implements Certificate {
  @Override
  public boolean holds() {
    if (!Refinement.refines(before.domain(), coarse) || !Refinement.refines(after.domain(), coarse)) return false;
    return coalesced(before).equals(coalesced(after));
  }

  private List<Layout> coalesced(TupleMorphism morphism) {
    var layout = morphism.layout();
    var shapes = Refinement.parts(coarse, layout.shape());
    var strides = Refinement.parts(coarse, layout.stride());
    var parts = new ArrayList<Layout>();
    for (int i = 0; i < shapes.size(); i++) parts.add(new Layout(shapes.get(i), strides.get(i)).coalesce());
    return parts;
  }

  @Override
  public String explain() {
    return after + " realises the function of " + before + ": over " + coarse + ", both coalesce to the same";
  }
}
