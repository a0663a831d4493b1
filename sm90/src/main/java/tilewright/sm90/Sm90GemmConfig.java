package tilewright.sm90;

import java.util.List;
import java.util.Optional;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Cluster;
import tilewright.async.collective.ClusterShape;
import tilewright.async.collective.FetchedTile;
import tilewright.async.collective.OperandTile;
import tilewright.async.collective.TensorTile;
import tilewright.async.schedule.WaveSynchronisedTiles;
import tilewright.async.schedule.WorkspaceReduction;
import tilewright.kernel.I32;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.BlockScales;
import tilewright.sm90.collective.Mainloop;
import tilewright.sm90.collective.MixedInputMainloop;
import tilewright.sm90.collective.OperandStages;
import tilewright.sm90.collective.PromotedMainloop;
import tilewright.sm90.collective.StagedMetadata;
import tilewright.sm90.collective.TiledWgmma;
import tilewright.sm90.collective.WgmmaMainloop;

/**
 * The parameters that are fixed when a Hopper GEMM is traced.
 *
 * @param operands types and orders of A and B, and C's type
 * @param tile extents of a CTA's tile, and of a stage along k
 * @param consumers warpgroups that multiply, each with tile.m / consumers rows
 * @param stages tiles of shared memory in the ring
 * @param cluster CTAs that load tiles for each other
 * @param band tile rows that CTAs work through together, for L2
 * @param resident CTAs on an SM
 */
public record Sm90GemmConfig(Operands operands, TileShape tile, int consumers, int stages, ClusterShape cluster,
    int band, int resident, Variant variant) {
  private static final int ALIGNED_BYTES = 16;
  private static final int REGISTERS = 65536;
  private static final int MOST_REGISTERS = 240;
  /** Sums of a piece that are added elsewhere live beside all sums. */
  private static final int MOST_PROMOTED_COLUMNS = 128;
  /** The most registers of accumulators beside which there is room for the workspace's strides and the like. */
  private static final int ROOMY_ACCUMULATORS = 96;
  /** The share of the ring's stages, in fifths, by which the first slice of k is longer. */
  private static final int LEAD = 3;

  /**
   * The operands.
   *
   * @param types of A and B: f16 and bf16 in any order, tf32, 8-bit floats and integers along k; of C: f32, f16, bf16
   *     or 8 bits, of integers i32 too
   * @param aKMajor whether A's neighbours run along k (else along m)
   * @param bKMajor whether B's neighbours run along k (else along n)
   * @param aSparse whether of every four neighbours of A along k two are stored, of two of tf32 one
   */
  public record Operands(GemmTypes types, boolean aKMajor, boolean bKMajor, boolean aSparse) {
    /** Operands of which all elements are stored. */
    public Operands(GemmTypes types, boolean aKMajor, boolean bKMajor) {
      this(types, aKMajor, bKMajor, false);
    }

    /** These operands with a sparse A. */
    public Operands ofSparseA() {
      return new Operands(types, aKMajor, bKMajor, true);
    }

    /** The operands of a problem. */
    public static Operands of(GemmProblem problem) {
      return new Operands(problem.types(), problem.a().isRowMajor(), problem.b().isRowMajor());
    }

    /** Both along k. */
    public static Operands alongK(GemmTypes types) {
      return new Operands(types, true, true);
    }
  }

  /** Extents of a CTA's tile of C, and of a stage along k. */
  public record TileShape(int m, int n, int k) {}

  public Sm90GemmConfig {
    var types = operands.types();
    boolean fetched = variant.loading() == Loading.THREADS;
    boolean pingPong = variant.consumers() == Variant.Consumers.PING_PONG;
    boolean cut = variant.order() == Variant.Order.STREAM_K;
    if (!fetched) {
      requireAlongK("A", types.a(), operands.aKMajor());
      requireAlongK("B", types.b(), operands.bKMajor());
    }
    if (fetched && (cluster.blocks() > 1 || variant.order() != Variant.Order.PERSISTENT)) {
      throw new IllegalArgumentException("threads fetch whole tiles for their own CTA: no clusters, parts of k or"
          + " waves");
    }
    if (types.output() == ElementType.I32 && types.a() != ElementType.I8) {
      throw new IllegalArgumentException("unsupported products " + types + ": only sums of i8 are integers");
    }
    if (types.isPromoted() && pingPong) {
      throw new IllegalArgumentException("sums of " + types
          + " leave the tensor core on the way: consumers share a tile");
    }
    boolean scaled = types.isPromoted() && types.accumulation() == Accumulation.SCALED;
    if (cluster.splits() > 1 && (scaled || types.isPromoted() && operands.aSparse())) {
      throw new IllegalArgumentException("sums of " + types + (scaled ? " with scales" : " with a sparse A")
          + " are not added from CTA to CTA: each has all of k");
    }
    if (types.isMixed() && (pingPong || types.accumulation() != Accumulation.SCALED)) {
      throw new IllegalArgumentException("products of " + types + " need the accumulation scaled, and consumers that"
          + " share a tile");
    }
    if (cut && (pingPong || cluster.splits() > 1 || scaled)) {
      throw new IllegalArgumentException("parts of k are sums that all consumers of a CTA have"
          + " together, not those of " + types + ", of ping-pong or of a cluster");
    }
    if (types.accumulation() == Accumulation.F16 && (cut || cluster.splits() > 1)) {
      throw new IllegalArgumentException("accumulators of f16 are not added from CTA to CTA: each has all of k");
    }
    if (operands.aSparse()) requireForSparse(operands, variant);
    if (variant.loading() == Loading.WEIGHTS_AHEAD) requireEqualTiles(types, variant.order());
    if (types.isPromoted() && tile.k() != Accumulation.INTERVAL) {
      throw new IllegalArgumentException("an exact accumulation adds every " + Accumulation.INTERVAL
          + " of k, which tileK = " + tile.k() + " must be");
    }
  }

  private static void requireForSparse(Operands operands, Variant variant) {
    var types = operands.types();
    if (types.isMixed() || types.accumulation() == Accumulation.SCALED) {
      throw new IllegalArgumentException("products of " + types + " have no sparse A: needed are operands of one width"
          + " without scales");
    }
    if (!operands.aKMajor()) {
      throw new IllegalArgumentException("a sparse A is stored along k: its neighbours must be, as order TN has them");
    }
    boolean plain = variant.orientation() == Variant.Orientation.STRAIGHT
        && variant.order() != Variant.Order.STREAM_K && variant.loading() != Loading.WEIGHTS_AHEAD;
    if (!plain) {
      throw new IllegalArgumentException("a sparse A is wgmma's A, is copied with its metadata, and its stages come in"
          + " pairs: tiles are not transposed, cut along k or copied ahead");
    }
  }

  private static void requireEqualTiles(GemmTypes types, Variant.Order order) {
    if (order == Variant.Order.STREAM_K || types.accumulation() == Accumulation.SCALED) {
      throw new IllegalArgumentException("weights cannot be copied ahead where tiles are cut along k or where " + types
          + " have scales: one thread copies both operands");
    }
    if (order == Variant.Order.WAVE_SYNCHRONISED) {
      throw new IllegalArgumentException("waves cannot be synchronised where weights are copied ahead: no one thread"
          + " copies both operands");
    }
  }

  /** Returns this configuration in another variant. */
  public Sm90GemmConfig with(Variant other) {
    return new Sm90GemmConfig(operands, tile, consumers, stages, cluster, band, resident, other);
  }

  /** Returns this configuration for other operands. */
  Sm90GemmConfig with(Operands other) {
    return new Sm90GemmConfig(other, tile, consumers, stages, cluster, band, resident, variant);
  }

  /** Returns this configuration with tiles dealt out in another order. */
  public Sm90GemmConfig with(Variant.Order order) {
    return with(variant.with(order));
  }

  /** Returns this configuration with operands loaded in another way. */
  public Sm90GemmConfig with(Loading loading) {
    return with(variant.with(loading));
  }

  public int tileM() {
    return tile.m();
  }

  public int tileN() {
    return tile.n();
  }

  public int tileK() {
    return tile.k();
  }

  public GemmTypes types() {
    return operands.types();
  }

  public boolean pingPong() {
    return variant.consumers() == Variant.Consumers.PING_PONG;
  }

  /** Whether A and B have changed places: the kernel computes Cᵀ = B·Aᵀ. */
  public boolean transposed() {
    return variant.orientation() == Variant.Orientation.TRANSPOSED;
  }

  /** Whether threads fetch the operands, of any strides. */
  boolean fetched() {
    return variant.loading() == Loading.THREADS;
  }

  boolean weightsAhead() {
    return variant.loading() == Loading.WEIGHTS_AHEAD;
  }

  /** Whether tiles that do not fill a wave are cut along k. */
  public boolean streamK() {
    return variant.order() == Variant.Order.STREAM_K;
  }

  /** Whether CTAs load their tiles wave by wave. */
  boolean waveSynchronised() {
    return variant.order() == Variant.Order.WAVE_SYNCHRONISED;
  }

  private static void requireAlongK(String name, ElementType type, boolean kMajor) {
    if (type.bits() != 16 && !kMajor) {
      throw new IllegalArgumentException(name + " of " + type.text()
          + " must have its neighbours along k, as order TN has: wgmma transposes 16-bit elements only");
    }
  }

  WgmmaAtom atom() {
    int pieces = types().isPromoted() ? Math.ceilDiv(tile.n(), MOST_PROMOTED_COLUMNS) : 1;
    var dense = new WgmmaAtom(types().multiplied(), types().b(), types().accumulator(), tile.n() / pieces);
    return operands.aSparse() ? dense.ofSparseA() : dense;
  }

  TiledWgmma mma() {
    return types().isMixed() ? TiledWgmma.converting(atom(), layoutA(), layoutB(), sharers())
        : TiledWgmma.of(atom(), layoutA(), layoutB(), sharers());
  }

  int threads() {
    return Warpgroup.SIZE * (consumers + 1);
  }

  /** The length along {@code k} that the tensor core sums at a time; the results are added in FP32. */
  public int interval(int k) {
    return types().isPromoted() ? Accumulation.INTERVAL : partOfK(k);
  }

  /** The length along {@code k} that a CTA of a cluster sums, and each that splits k with it, but the last. */
  public int partOfK(int k) {
    int unit = tile.k() * mma().unit();
    int equal = Math.ceilDiv(k, unit * cluster.splits());
    return Math.max(1, (equal + Math.min(lead(), equal / 2)) * unit);
  }

  /** Consumers that share a tile. */
  int sharers() {
    return pingPong() ? 1 : consumers;
  }

  /** Registers for the accumulators of a consumer's thread. */
  int accumulatorRegisters() {
    return tile.m() * tile.n() / (sharers() * Warpgroup.SIZE) * types().accumulator().bytes() / Integer.BYTES;
  }

  /** Consumers that take turns at tiles. */
  int turns() {
    return consumers / sharers();
  }

  /**
   * Stages of k that the first of the CTAs which split it has beyond its equal part. The others go so much earlier: the
   * next kernel's CTAs fill their rings in the others' places while the first reads alone, adds up and stores. That
   * takes as long as the longer of two equal parts is ahead of the shorter, twice the lead, and a little more.
   */
  int lead() {
    return weightsAhead() && cluster.splits() > 1 ? LEAD * stages / 5 : 0;
  }

  /** Registers that a thread of the producer's warpgroup keeps. */
  int producerRegisters() {
    if (fetched()) return 120;
    return consumers > 2 || resident > 1 ? 24 : streamK() ? 72 : 40;
  }

  /** Registers of a consumer's thread: an equal part of what the CTA begins with and its producer leaves. */
  int consumerRegisters() {
    int all = REGISTERS / resident / threads() / 8 * 8 * (consumers + 1);
    return Math.min(MOST_REGISTERS, (all - producerRegisters()) / consumers) / 8 * 8;
  }

  /**
   * Whether consumers compute for themselves what the launch alone decides, such as the workspace's strides. Computed
   * at the kernel's begin, where all warps have few registers, it is spilled in tiles of 176 columns.
   */
  boolean consumersComputeAnew() {
    return streamK() && accumulatorRegisters() <= ROOMY_ACCUMULATORS;
  }

  /** Whether the next kernel's CTAs may begin once all tiles are multiplied: earlier, they would crowd idle SMs. */
  boolean letsNextInEarly() {
    return cluster.splits() == 1 && !weightsAhead();
  }

  /** The main loop that these types need. */
  Mainloop mainloop(Cluster cluster, OperandTile a, OperandTile b, int products, Grouping grouping) {
    var k = cluster.k();
    var mma = mma();
    var scales = types().accumulation() != Accumulation.SCALED ? Optional.<BlockScales>empty()
        : Optional.of(types().isMixed() ? BlockScales.ofA(k, mma, tile.m(), stages)
            : BlockScales.of(k, grouping.batchOfB(), mma, tile.m(), stages));
    var metadata = Optional.of(atom()).filter(WgmmaAtom::sparse)
        .map(sparse -> StagedMetadata.of(k, sparse, tile.m(), tile.k(), stages));
    var operands = new OperandStages(k, a, b, products, mma, cluster, scales, metadata);
    if (scales.isPresent() && types().isMixed()) return new MixedInputMainloop(operands, types().a());
    return types().isPromoted() ? new PromotedMainloop(operands) : new WgmmaMainloop(operands);
  }

  /** A's tiles, and how they are filled; by threads of that number in their warpgroup, if any do it. */
  OperandTile tileA(Scope k, I32 lane) {
    return tile(k, a(), layoutA(), cluster.n(), lane, operands.aKMajor(), 1);
  }

  /** B's tiles, whose rows are those of the first product's columns, then those of the next one's, and so on. */
  OperandTile tileB(Scope k, I32 lane, int products, Grouping grouping) {
    var extents = products == 1 ? List.of("N", "K", grouping.batchOfB()) : List.of("N", "K", "P", grouping.batchOfB());
    var b = operand("B", types().b(), extents, operands.bKMajor());
    return tile(k, b, layoutB(), cluster.m(), lane, operands.bKMajor(), products == 1 ? 1 : columns(products));
  }

  /** Columns of C's tile, where this number of products share A. */
  int columns(int products) {
    return tile.n() / products;
  }

  private OperandTile tile(Scope k, TensorSpec spec, OffsetMap layout, int blocks, I32 lane, boolean kMajor,
      int interleaved) {
    return fetched() ? FetchedTile.of(k, TensorSpec.of(spec.name(), spec.type(), spec.extents().toArray(String[]::new)),
        layout, lane, kMajor, interleaved) : TensorTile.shared(k, spec, layout, blocks, interleaved);
  }

  private TensorSpec a() {
    if (types().a() == ElementType.I4) {
      return TensorSpec.of("A", ElementType.I8, "M", "KPairs", "L").contiguous("KPairs").aligned(ALIGNED_BYTES);
    }
    var a = operand("A", types().a(), List.of("M", operands.aSparse() ? "KStored" : "K", "L"), operands.aKMajor());
    // B has few rows then, so that A is read about once, and would only drive out of L2 what is read again.
    return transposed() ? a.passingReads() : a;
  }

  private static TensorSpec operand(String name, ElementType type, List<String> extents, boolean kMajor) {
    return TensorSpec.of(name, type, extents.toArray(String[]::new)).contiguous(extents.get(kMajor ? 1 : 0))
        .aligned(ALIGNED_BYTES / type.bytes());
  }

  /** Returns this configuration with fewer stages, so that these bytes are free for other uses. */
  Sm90GemmConfig yielding(int bytes) {
    return withStages(stages - Math.ceilDiv(bytes, stageBytes()));
  }

  /** Returns this configuration with another number of stages. */
  Sm90GemmConfig withStages(int other) {
    return new Sm90GemmConfig(operands, tile, consumers, other, cluster, band, resident, variant);
  }

  /** Bytes of a stage: both operands, and A's metadata or the scales beside them. */
  int stageBytes() {
    return (tile.m() * types().a().bits() * storedDepth() + tile.n() * types().b().bits() * tile.k()) / Byte.SIZE
        + bytesBesideOperands();
  }

  /** Bytes of a stage's metadata or scales. */
  int bytesBesideOperands() {
    if (operands.aSparse()) return StagedMetadata.bytes(tile.m(), tile.k(), atom());
    if (types().accumulation() != Accumulation.SCALED) return 0;
    return types().isMixed() ? BlockScales.bytesOfA(tile.m(), tile.k()) : BlockScales.bytes(tile.m(), tile.n());
  }

  /** Elements of a row of A in a stage. */
  private int storedDepth() {
    return operands.aSparse() ? tile.k() / 2 : tile.k();
  }

  /** The scratch memory that a launch of this number of CTAs needs. */
  public List<PreparedLaunch.Scratch> scratch(int blocks) {
    return switch (variant.order()) {
      case PERSISTENT -> List.of();
      case WAVE_SYNCHRONISED -> WaveSynchronisedTiles.scratch();
      case STREAM_K -> WorkspaceReduction.scratch(mma().accumulators(consumers), blocks);
    };
  }

  OffsetMap layoutA() {
    if (types().a() == ElementType.I4) return SwizzledRows.alongColumns(ElementType.I8, tile.m(), tile.k() / 2, stages);
    return layout(types().a(), tile.m(), storedDepth(), operands.aKMajor());
  }

  OffsetMap layoutB() {
    return layout(types().b(), tile.n(), tile.k(), operands.bKMajor());
  }

  private OffsetMap layout(ElementType type, int rows, int depth, boolean kMajor) {
    return kMajor || fetched() ? SwizzledRows.alongColumns(type, rows, depth, stages)
        : SwizzledRows.alongRows(type, rows, depth, stages);
  }

  @Override
  public String toString() {
    return (operands.aKMajor() ? "T" : "N") + (operands.bKMajor() ? "N" : "T") + " " + types()
        + (operands.aSparse() ? " sparse " : " ") + tile.m() + "x" + tile.n() + "x" + tile.k()
        + " consumers " + consumers + " stages " + stages + " cluster " + cluster + " band " + band
        + (resident > 1 ? " resident " + resident : "") + (pingPong() ? " ping-pong" : "")
        + (transposed() ? " transposed" : "") + (streamK() ? " shared tail" : "")
        + (weightsAhead() ? " weights ahead" : "")
        + (waveSynchronised() ? " paced" : "") + (fetched() ? " fetched" : "");
  }
}
