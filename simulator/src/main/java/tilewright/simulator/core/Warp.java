package tilewright.simulator.core;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tilewright.ptx.Dim3;

/**
 * 32 threads: their registers, where they are, and scratch space for one access. Generated code reads the public
 * fields.
 */
public final class Warp {
  public static final int LANES = 32;
  /** How many warps make a warpgroup. */
  public static final int WARPGROUP_WARPS = 4;
  /** GPUs allocate shared memory in pieces of so many bytes, and reserve some for the system. */
  private static final int SHARED_UNIT = 128;
  private static final int RESERVED_SHARED = 1024;
  public static final byte[] PER_LANE = {};

  public final int[][] i;
  public final float[][] f;
  public final long[][] l;
  public final double[][] d;
  /** Predicates, one bit a lane. */
  public final int[] p;
  /** Lanes with registers that hold bits of memory that nobody had written; none unless the code is watched. */
  public int undefined;

  /** Where the CTA's shared memory begins in the shared window: its rank in the cluster by 2²⁴. */
  public final int sharedBase;

  public final Cta cta;
  public final int index;
  public final byte[] local;
  final CallStack calls = new CallStack();
  public final List<LaneGroup> groups = new ArrayList<>();
  public LaneGroup current;
  /** Lanes that exist and have not exited. */
  public int live;
  public long clock;
  /** The scheduler's round in which it ran last. */
  public int round;
  public int diverged;

  public byte[] base = PER_LANE;
  public final byte[][] bases = new byte[LANES][];
  public final int[] offsets = new int[LANES];
  /**
   * The CTAs in whose shared memory the places lie; null for other memory. Only kept for places and the cluster's
   * window.
   */
  public final Cta[] owners = new Cta[LANES];
  /** Places of an instruction's first address while its second is resolved. */
  public final int[] held = new int[LANES];
  public final Cta[] heldOwners = new Cta[LANES];
  /** The elements of a vector that an instruction is about to store, by element and lane. */
  public final long[][] elements = new long[4][LANES];
  final WholeAccesses whole = new WholeAccesses();
  public final UnwrittenValues unwritten = new UnwrittenValues();
  final UndefinedFlow flow = new UndefinedFlow();
  public final BulkOperands bulk = new BulkOperands();
  /** Votes of the reducing barrier that each lane waited at last. */
  public final int[] truths = new int[LANES];
  public final int[] falsehoods = new int[LANES];
  /** Results of a warp operation before they are masked into the destination. */
  public final int[] scratch = new int[LANES];
  private final int[] tidX = new int[LANES];
  private final int[] tidY = new int[LANES];
  private final int[] tidZ = new int[LANES];
  /** The first special registers, by ordinal and lane. */
  private final int[][] specials;

  Warp(Cta cta, int index) {
    this.cta = cta;
    this.index = index;
    sharedBase = cta.rank << AddressSpace.RANK_BITS;
    var kernel = cta.kernel;
    i = new int[kernel.registers().ints()][LANES];
    f = new float[kernel.registers().floats()][LANES];
    l = new long[kernel.registers().longs()][LANES];
    d = new double[kernel.registers().doubles()][LANES];
    p = new int[kernel.registers().predicates()];
    local = new byte[LANES * kernel.memory().localBytes()];
    var block = cta.launch.block();
    specials = new int[][] {tidX, tidY, tidZ, cta.ntid[0], cta.ntid[1], cta.ntid[2], cta.ctaid[0], cta.ctaid[1],
        cta.ctaid[2], cta.nctaid[0], cta.nctaid[1], cta.nctaid[2]};
    for (int lane = 0; lane < LANES; lane++) {
      int thread = index * LANES + lane;
      tidX[lane] = thread % block.x();
      tidY[lane] = thread / block.x() % block.y();
      tidZ[lane] = thread / (block.x() * block.y());
    }
  }

  /** Makes the warp new for another CTA. */
  void reset() {
    // Registers are undefined at first; zeros make every run of a kernel that reads them the same.
    for (var r : i) Arrays.fill(r, 0);
    for (var r : f) Arrays.fill(r, 0);
    for (var r : l) Arrays.fill(r, 0);
    for (var r : d) Arrays.fill(r, 0);
    Arrays.fill(p, 0);
    Arrays.fill(local, (byte) 0);
    calls.reset();
    unwritten.reset();
    undefined = 0;
    int threads = Math.min(LANES, cta.threads - index * LANES);
    live = threads == LANES ? -1 : (1 << threads) - 1;
    clock = 0;
    round = 0;
    diverged = 0;
    groups.clear();
    groups.add(new LaneGroup(live, 0));
  }

  /** Its number in the cluster. */
  public int number() {
    return cta.rank * cta.warps.length + index;
  }

  public boolean finished() {
    return live == 0;
  }

  public boolean runnable() {
    for (var g : groups) if (g.state == LaneGroup.State.RUNNING) return true;
    return false;
  }

  /** Lets waiting lanes look again whether the thing they wait for has happened. */
  public void resume(LaneGroup.State waiting) {
    for (var g : groups) if (g.state == waiting) g.state = LaneGroup.State.RUNNING;
  }

  public Dim3 thread(int lane) {
    return new Dim3(tidX[lane], tidY[lane], tidZ[lane]);
  }

  public String who(int lane) {
    return "thread " + thread(lane) + " of block " + cta.position + cta.state.slot;
  }

  /** Keeps the places just resolved while another address of the instruction is. */
  public static void hold(Warp w, int mask) {
    System.arraycopy(w.offsets, 0, w.held, 0, LANES);
    System.arraycopy(w.owners, 0, w.heldOwners, 0, LANES);
  }

  /** A special register that differs between launches, CTAs, warps or lanes; {@code code} is its ordinal. */
  public int special(int code, int lane) {
    // Short, so that the JIT compiler puts it into a kernel's loops.
    return code < specials.length ? specials[code][lane] : rare(code, lane);
  }

  private int rare(int code, int lane) {
    return switch (SpecialRegister.at(code)) {
      case LANEID -> lane;
      case WARPID -> index;
      case NWARPID -> cta.warps.length;
      case CLOCK -> (int) clock;
      case CLOCK_HI -> (int) (clock >>> 32);
      case LANEMASK_EQ -> 1 << lane;
      case LANEMASK_LE -> -1 >>> 31 - lane;
      case LANEMASK_LT -> (1 << lane) - 1;
      case LANEMASK_GE -> -1 << lane;
      case LANEMASK_GT -> -2 << lane;
      case DYNAMIC_SMEM_SIZE -> cta.launch.dynamicSharedBytes();
      case TOTAL_SMEM_SIZE -> -Math.floorDiv(-userShared(), SHARED_UNIT) * SHARED_UNIT;
      case AGGR_SMEM_SIZE -> userShared() + RESERVED_SHARED;
      case NSMID -> 1;
      case SMID -> 0;
      case ENVREG1 -> (int) (cta.state.gridWorkspace >>> 32);
      case ENVREG2 -> (int) cta.state.gridWorkspace;
      default -> cta.clusterRegister(SpecialRegister.at(code));
    };
  }

  /** The shared memory that the kernel and the launch ask for. */
  private int userShared() {
    return cta.sharedBytes - cta.kernel.memory().gapBytes();
  }

  /** The lanes, of some, whose {@link #offsets} are that of the first of them. */
  public int atPlaceOfFirst(int lanes) {
    int offset = offsets[Integer.numberOfTrailingZeros(lanes)];
    int together = 0;
    for (int rest = lanes; rest != 0; rest &= rest - 1) {
      if (offsets[Integer.numberOfTrailingZeros(rest)] == offset) together |= rest & -rest;
    }
    return together;
  }

  /** A number that depends on all that decides how the warp goes on, but the memory that others see. */
  public long fingerprint() {
    long sum = live;
    for (var g : groups) sum = mixed(mixed(mixed(sum, g.mask), g.block), g.state.ordinal());
    for (var r : i) sum = mixed(sum, Arrays.hashCode(r));
    for (var r : f) sum = mixed(sum, Arrays.hashCode(r));
    for (var r : l) sum = mixed(sum, Arrays.hashCode(r));
    for (var r : d) sum = mixed(sum, Arrays.hashCode(r));
    sum = mixed(sum, Arrays.hashCode(p));
    return mixed(mixed(sum, Arrays.hashCode(local)), calls.fingerprint());
  }

  private static long mixed(long sum, long next) {
    long z = (sum ^ next) * 0x9E3779B97F4A7C15L;
    return z ^ z >>> 29;
  }

  /**
   * {@code %clock64} and {@code %globaltimer}: cycles by the instructions of this warp alone, so that equal seeds read
   * equal clocks.
   */
  public long clock() {
    return clock;
  }
}
