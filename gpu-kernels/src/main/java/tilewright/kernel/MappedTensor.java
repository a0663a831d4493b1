package tilewright.kernel;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/** A tensor in global memory that is reached through a tensor map, box by box, seen from some origin (SM90). */
public final class MappedTensor {
  private final TensorMapSpec spec;
  private final Node map;
  private final List<I32> extents;
  private final List<I32> origin;

  private MappedTensor(TensorMapSpec spec, Node map, List<I32> extents, List<I32> origin) {
    this.spec = spec;
    this.map = map;
    this.extents = extents;
    this.origin = origin;
  }

  static MappedTensor declare(Scope k, TensorMapSpec spec) {
    k.parameter(new KernelParameter.Map(spec));
    var place = k.pure(PtxType.U64, k.root(), 0, 0, -1, new Node.Recipe("mov.b64",
        List.of(new Node.Argument.Constant(new Operand.Symbol(spec.name())))));
    var map = k.pure(PtxType.U64, k.root(), 0, 0, -1,
        new Node.Recipe("cvta.param.u64", List.of(new Node.Argument.Value(place))));
    var extents = spec.tensor().modes().stream().map(k::extent).toList();
    return new MappedTensor(spec, map, extents, Collections.nCopies(extents.size(), k.constant(0)));
  }

  public TensorMapSpec spec() {
    return spec;
  }

  /** The whole tensor's extent, whatever the origin. */
  public I32 extent(int mode) {
    return extents.get(mode);
  }

  /** The tensor with coordinates that count from another origin. */
  public MappedTensor from(I32... coordinate) {
    return new MappedTensor(spec, map, extents, shifted(coordinate));
  }

  /** The operand of a copy: the map, and where the box begins, innermost mode first. */
  public Operand.Address box(Scope k, I32... coordinate) {
    var place = shifted(coordinate);
    var innermostFirst = new ArrayList<Operand>();
    for (int mode : spec.order()) innermostFirst.add(place.get(mode).register());
    return new Operand.Address(map.register(k), 0, List.of(new Operand.Vector(innermostFirst)));
  }

  /** The operand that names the map. */
  public Operand.Address map(Scope k) {
    return new Operand.Address(map.register(k), 0);
  }

  /** The register with the L2 cache policy of copies, if the tensor's specification has one. */
  public Optional<Operand.Register> policy(Scope k) {
    return spec.tensor().eviction().map(k::reads);
  }

  private List<I32> shifted(I32[] coordinate) {
    if (coordinate.length != extents.size()) {
      throw new TraceException("tensor " + spec.tensor().name() + spec.tensor().extents() + " takes " + extents.size()
          + " coordinates, got " + coordinate.length);
    }
    var place = new ArrayList<I32>();
    for (int mode = 0; mode < coordinate.length; mode++) place.add(origin.get(mode).plus(coordinate[mode]));
    return place;
  }
}
