package tilewright.sm90;

import java.util.List;
import tilewright.async.atom.SwizzledRows;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.ClusterShape;
import tilewright.async.collective.FetchedTile;
import tilewright.async.collective.OperandTile;
import tilewright.async.collective.TensorTile;
import tilewright.kernel.I32;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Scope;
import tilewright.kernel.TensorSpec;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmTypes;
import tilewright.layout.OffsetMap;
import tilewright.numerics.ElementType;
import tilewright.sm90.atom.WgmmaAtom;
import tilewright.sm90.collective.Pace;
import tilewright.sm90.collective.PartialSums;
import tilewright.sm90.collective.TiledWgmma;

/**
 * What is fixed when a Hopper GEMM is traced.
 *
 * @param types of A and B: f16 and bf16 in any order, tf32, 8-bit floats and integers along k; of C: f32, f16, bf16 or
 *     8 bits, of integers i32 too
 * @param aKMajor whether A's neighbours run along k (else along m); likewise B
 * @param consumers warpgroups that multiply, each with tileM / consumers rows
 * @param stages tiles of shared memory in the ring
 * @param cluster CTAs that copy tiles for each other
 * @param band tile rows that CTAs work through together, for L2
 * @param resident CTAs on a multiprocessor
 * @param pingPong whether each consumer has a tile of its own, and they take turns, rather than rows of one tile
 * @param transposed whether A and B have changed places: this is of Cᵀ = B·Aᵀ
 * @param sharedTail whether tiles that do not fill a wave are cut along k, so that more CTAs have a part
 * @param weightsAhead whether B, or A where they have changed places, is read before the stream's previous kernel has
 *     ended, which must not write it
 * @param paced whether CTAs keep in step, so that L2 has what several of them copy
 * @param fetched whether threads fetch A and B, of any strides, where tensor copies cannot reach them
 */
public record Sm90GemmConfig(GemmTypes types, boolean aKMajor, boolean bKMajor, int tileM, int tileN, int tileK,
    int consumers, int stages, ClusterShape cluster, int band, int resident, boolean pingPong,
    boolean transposed, boolean sharedTail, boolean weightsAhead, boolean paced,
    boolean fetched) {
  private static final int ALIGNED_BYTES = 16;
  private static final int REGISTERS = 65536;
  private static final int MOST_REGISTERS = 240;
  /** Sums of a piece that are added elsewhere live beside all sums. */
  private static final int MOST_PROMOTED_COLUMNS = 128;
  /** Of the ring's stages, fifths. */
  private static final int LEAD = 3;

  public Sm90GemmConfig {
    if (!fetched) {
      requireAlongK("A", types.a(), aKMajor);
      requireAlongK("B", types.b(), bKMajor);
    }
    if (fetched && (cluster.blocks() > 1 || sharedTail || weightsAhead || paced)) {
      throw new IllegalArgumentException("threads fetch whole tiles for their own CTA: no clusters, parts of k, pace or"
          + " weights ahead");
    }
    if (types.output() == ElementType.I32 && types.a() != ElementType.I8) {
      throw new IllegalArgumentException("unsupported products " + types + ": only sums of i8 are integers");
    }
    if (types.isPromoted() && (pingPong || cluster.splits() > 1)) {
      throw new IllegalArgumentException("sums of " + types
          + " leave the tensor core on the way: consumers share a tile and all of its k");
    }
    if (types.isMixed() && (pingPong || types.accumulation() != Accumulation.SCALED)) {
      throw new IllegalArgumentException("products of " + types + " need the accumulation scaled, and consumers that"
          + " share a tile");
    }
    if (sharedTail && (pingPong || cluster.splits() > 1 || types.isPromoted() || types.output() == ElementType.I32)) {
      throw new IllegalArgumentException("parts of k are sums in single precision that all consumers of a CTA have"
          + " together, not those of " + types + ", of ping-pong or of a cluster");
    }
    if (weightsAhead && (sharedTail || types.accumulation() == Accumulation.SCALED)) {
      throw new IllegalArgumentException("weights cannot be copied ahead where tiles are cut along k or where " + types
          + " have scales: one thread copies both operands");
    }
    if (paced && (sharedTail || weightsAhead)) {
      throw new IllegalArgumentException("CTAs cannot keep in step where tiles are cut along k or weights are copied"
          + " ahead: they have no equal tiles, or no one thread that copies them");
    }
    if (types.isPromoted() && tileK != Accumulation.INTERVAL) {
      throw new IllegalArgumentException("an exact accumulation adds every " + Accumulation.INTERVAL
          + " of k, which tileK = " + tileK + " must be");
    }
  }

  /** Where tiles are whole. */
  public Sm90GemmConfig(GemmTypes types, boolean aKMajor, boolean bKMajor, int tileM, int tileN, int tileK,
      int consumers, int stages, ClusterShape cluster, int band, int resident, boolean pingPong, boolean transposed) {
    this(types, aKMajor, bKMajor, tileM, tileN, tileK, consumers, stages, cluster, band, resident, pingPong,
        transposed, false, false, false, false);
  }

  /** The same with the last tiles cut along k. */
  public Sm90GemmConfig withSharedTail() {
    return new Sm90GemmConfig(types, aKMajor, bKMajor, tileM, tileN, tileK, consumers, stages, cluster, band, resident,
        pingPong, transposed, true, weightsAhead, paced, fetched);
  }

  /** The same with the weights read before the previous kernel has ended. */
  public Sm90GemmConfig withWeightsAhead() {
    return new Sm90GemmConfig(types, aKMajor, bKMajor, tileM, tileN, tileK, consumers, stages, cluster, band, resident,
        pingPong, transposed, sharedTail, true, paced, fetched);
  }

  /** The same with CTAs that keep in step. */
  public Sm90GemmConfig withPace() {
    return new Sm90GemmConfig(types, aKMajor, bKMajor, tileM, tileN, tileK, consumers, stages, cluster, band, resident,
        pingPong, transposed, sharedTail, weightsAhead, true, fetched);
  }

  /** A configuration whose operands threads fetch. */
  static Sm90GemmConfig fetching(GemmTypes types, boolean aKMajor, boolean bKMajor, int tileM, int tileN, int tileK,
      int consumers, int stages, int band) {
    return new Sm90GemmConfig(types, aKMajor, bKMajor, tileM, tileN, tileK, consumers, stages,
        new ClusterShape(1, 1, 1), band, 1, false, false, false, false, false, true);
  }

  private static void requireAlongK(String name, ElementType type, boolean kMajor) {
    if (type.bits() != 16 && !kMajor) {
      throw new IllegalArgumentException(name + " of " + type.text()
          + " must have its neighbours along k, as order TN has: wgmma transposes 16-bit elements only");
    }
  }

  WgmmaAtom atom() {
    int pieces = types.isPromoted() ? Math.ceilDiv(tileN, MOST_PROMOTED_COLUMNS) : 1;
    return new WgmmaAtom(types.multiplied(), types.b(), tileN / pieces);
  }

  TiledWgmma mma() {
    return types.isMixed() ? TiledWgmma.converting(atom(), layoutA(), layoutB(), sharers())
        : TiledWgmma.of(atom(), layoutA(), layoutB(), sharers());
  }

  int threads() {
    return 128 * (consumers + 1);
  }

  /** So much of {@code k} is summed by the tensor core at a time; what comes out is added in single precision. */
  public int interval(int k) {
    if (types.isPromoted()) return Accumulation.INTERVAL;
    int unit = tileK * mma().unit();
    int equal = Math.ceilDiv(k, unit * cluster.splits());
    return Math.max(1, (equal + Math.min(lead(), equal / 2)) * unit);
  }

  /** Consumers that share a tile. */
  int sharers() {
    return pingPong ? 1 : consumers;
  }

  /** Sums of a consumer's thread. */
  int accumulators() {
    return tileM * tileN / (sharers() * Warpgroup.SIZE);
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
    return weightsAhead && cluster.splits() > 1 ? LEAD * stages / 5 : 0;
  }

  /** Threads that fill a stage. */
  int producers() {
    return fetched ? Warpgroup.SIZE : weightsAhead ? 2 : 1;
  }

  /** Registers that a thread of the producer's warpgroup keeps. */
  int producerRegisters() {
    if (fetched) return 120;
    return consumers > 2 || resident > 1 ? 24 : sharedTail ? 72 : 40;
  }

  /** Registers of a consumer's thread: an equal part of what the CTA begins with and its producer leaves. */
  int consumerRegisters() {
    int all = REGISTERS / resident / threads() / 8 * 8 * (consumers + 1);
    return Math.min(MOST_REGISTERS, (all - producerRegisters()) / consumers) / 8 * 8;
  }

  /** A's tiles, and how they are filled; by threads of that number in their warpgroup, if any do it. */
  OperandTile tileA(Scope k, I32 lane) {
    return tile(k, a(), layoutA(), cluster.n(), lane, aKMajor);
  }

  /** B's tiles. */
  OperandTile tileB(Scope k, I32 lane, Grouping grouping) {
    return tile(k, operand("B", types.b(), "N", grouping.batchOfB(), bKMajor), layoutB(), cluster.m(), lane, bKMajor);
  }

  private OperandTile tile(Scope k, TensorSpec spec, OffsetMap layout, int blocks, I32 lane, boolean kMajor) {
    return fetched ? FetchedTile.of(k, TensorSpec.of(spec.name(), spec.type(), spec.extents().toArray(String[]::new)),
        layout, lane, kMajor) : TensorTile.shared(k, spec, layout, blocks);
  }

  private TensorSpec a() {
    if (types.a() == ElementType.I4) {
      return TensorSpec.of("A", ElementType.I8, "M", "KPairs", "L").contiguous("KPairs").aligned(ALIGNED_BYTES);
    }
    var a = operand("A", types.a(), "M", "L", aKMajor);
    // B has few rows then, so that A is read about once, and would only drive out of L2 what is read again.
    return transposed ? a.passingReads() : a;
  }

  private static TensorSpec operand(String name, ElementType type, String rows, String batch, boolean kMajor) {
    return TensorSpec.of(name, type, rows, "K", batch).contiguous(kMajor ? "K" : rows)
        .aligned(ALIGNED_BYTES / type.bytes());
  }

  /** With fewer stages in the ring, by so many bytes that are needed elsewhere. */
  Sm90GemmConfig yielding(int bytes) {
    int stage = (tileM * types.a().bits() + tileN * types.b().bits()) * tileK / Byte.SIZE;
    return new Sm90GemmConfig(types, aKMajor, bKMajor, tileM, tileN, tileK, consumers,
        stages - Math.ceilDiv(bytes, stage), cluster, band, resident, pingPong, transposed, sharedTail,
        weightsAhead, paced, fetched);
  }

  /** What so many blocks need in memory where the last tiles are cut along k, or all keep in step. */
  public List<PreparedLaunch.Scratch> scratch(int blocks) {
    if (paced) return Pace.scratch();
    return sharedTail ? PartialSums.scratch(mma(), consumers, blocks) : List.of();
  }

  OffsetMap layoutA() {
    if (types.a() == ElementType.I4) return SwizzledRows.alongColumns(ElementType.I8, tileM, tileK / 2, stages);
    return layout(types.a(), tileM, aKMajor);
  }

  OffsetMap layoutB() {
    return layout(types.b(), tileN, bKMajor);
  }

  private OffsetMap layout(ElementType type, int rows, boolean kMajor) {
    return kMajor || fetched ? SwizzledRows.alongColumns(type, rows, tileK, stages)
        : SwizzledRows.alongRows(type, rows, tileK, stages);
  }

  @Override
  public String toString() {
    return (aKMajor ? "T" : "N") + (bKMajor ? "N" : "T") + " " + types + " " + tileM + "x" + tileN + "x" + tileK
        + " consumers " + consumers + " stages " + stages + " cluster " + cluster + " band " + band
        + (resident > 1 ? " resident " + resident : "") + (pingPong ? " ping-pong" : "")
        + (transposed ? " transposed" : "") + (sharedTail ? " shared tail" : "")
        + (weightsAhead ? " weights ahead" : "") + (paced ? " paced" : "") + (fetched ? " fetched" : "");
  }
}
