package tilewright.kernel.collective;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Vector;
import tilewright.kernel.atom.Cluster;
import tilewright.kernel.atom.CpAsync;
import tilewright.layout.Layout;

/**
 * The rows of a matrix (M,N), a tile of them a CTA, or one a cluster of CTAs (SM90), spread over the threads. A row
 * that fits is read once and kept in registers, packed, the rest of it in shared memory; a longer one is read again by
 * every pass.
 */
public final class Rows {
  private final Scope k;
  private final I32 thread;
  private final RowShape shape;
  private final GlobalTensor x;
  /** The CTA's rank among those that share its row. */
  private final I32 rank;

  /** @param x the whole matrix */
  public Rows(Scope k, I32 thread, RowShape shape, GlobalTensor x) {
    this.k = k;
    this.thread = thread;
    this.shape = shape;
    this.x = shape.exact() ? x.covered(1) : x;
    this.rank = k.cluster(shape.cluster());
  }

  /** The columns of a vector (N) that all rows share. */
  public Columns columns(GlobalTensor vector) {
    return new Columns(shape, vector);
  }

  /** Runs the body for this CTA's tile. */
  public void forTile(Consumer<RowTile> body) {
    if (shape.blocks() > 0) k.blocksPerMultiprocessor(shape.blocks());
    var group = new ThreadGroup(k, thread, shape.block(), shape.threads());
    var reduction = shape.cluster() == 1 ? RowReduction.inBlock(group)
        : RowReduction.inCluster(group, rank, shape.cluster());
    if (!shape.resident()) {
      body.accept(new RowTile(k, shape, x, reduction, this::places));
      return;
    }
    // Before a block writes into another's shared memory, that one must have begun.
    if (shape.cluster() > 1) Cluster.arrive(k);
    var places = places(k.constant(0));
    var held = load(places);
    if (shape.cluster() > 1) Cluster.await(k);
    body.accept(new RowTile(k, shape, x, reduction, places, held));
  }

  /** Loads the runs. A thread reads from shared memory only its own copies, so it waits for no other's. */
  private List<Supplier<Vector>> load(List<I32[]> places) {
    int inShared = places.size() - shape.kept();
    int vector = shape.vector();
    var later = new ArrayList<Supplier<Vector>>();
    if (inShared > 0) {
      var type = x.spec().type();
      var copy = new CpAsync(k, vector, type.bytes());
      var shared = k.shared(type, Layout.of(Layout.of(shape.block(), vector), Layout.of(vector, 1),
          Layout.of(inShared, (long) shape.block() * vector)));
      for (int i = 0; i < inShared; i++) {
        var mine = shared.at(thread, k.constant(0), k.constant(i));
        copy.copy(x, places.get(shape.kept() + i), mine);
        later.add(() -> mine.vector(vector));
      }
      CpAsync.commit(k);
    }
    var resident = new ArrayList<Supplier<Vector>>();
    for (var place : places.subList(0, shape.kept())) {
      var values = x.at(place).vectorOrZeros(vector, x.contains(place));
      resident.add(() -> values);
    }
    if (inShared > 0) CpAsync.waitFor(k, 0);
    resident.addAll(later);
    return resident;
  }

  /** Row and column of each of this thread's runs from a column on, row after row. */
  private List<I32[]> places(I32 from) {
    var partition = shape.partition();
    var tile = k.blockX().dividedBy(shape.cluster());
    var places = new ArrayList<I32[]>();
    for (int run = 0; run < shape.accesses() * shape.each(); run++) {
      var inTile = partition.coordinate(thread, run * shape.vector());
      places.add(new I32[] {tile.times(shape.tileRows()).plus(inTile[0]),
          inTile[1].plus(rank.times(shape.columns())).plus(from)});
    }
    return places;
  }
}
