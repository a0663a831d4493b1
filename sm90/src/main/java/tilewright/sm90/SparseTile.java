package tilewright.sm90;

import java.util.ArrayList;
import java.util.List;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.ClusterShape;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.sm90.Sm90GemmConfig.Operands;
import tilewright.sm90.Sm90GemmConfig.TileShape;
import tilewright.sm90.atom.WgmmaAtom;

/**
 * A tile of C of a product whose A is sparse, and how it is computed. A step along k is a swizzled row of B: of A a
 * stage has half as many bytes for each row, and the tensor core is done with it in half the time that a dense product
 * takes. So tiles of many rows are worth more than there, as are clusters that copy for each other.
 *
 * @param pingPong whether two consumers take turns at tiles, rather than share each
 */
record SparseTile(int m, int n, ClusterShape cluster, boolean pingPong) {
  /** Bytes along k of B in a step. */
  static final int DEPTH_BYTES = 128;
  private static final int MOST_STAGES = 12;
  private static final int BAND_ROWS = 2048;
  /** Bytes that shared memory gives the tensor cores in a cycle. */
  private static final double SHARED_RATE = 128;
  /** Bytes that L2 gives an SM in a cycle where all SMs read: about 5.5 TB/s of an H200 at 1.4 GHz. */
  private static final double L2_RATE = 30;
  /** Cycles of a tile besides its steps: the ring fills, and C is stored. */
  private static final double EDGE = 1500;
  /** The most registers of accumulators beside which there is room for a part of them. */
  private static final int MOST_PROMOTED = 128;
  /** Instructions along k of a step. */
  private static final int SLICES = 2;

  /** The tiles that a problem's is chosen from. */
  static final List<SparseTile> ALL = all();

  private static List<SparseTile> all() {
    var all = new ArrayList<SparseTile>();
    for (int splits : new int[] {1, 2, 4}) {
      for (int n : new int[] {16, 32, 64, 128}) {
        all.add(new SparseTile(64, n, new ClusterShape(1, 1, splits), false));
      }
    }
    for (int n : new int[] {64, 128, 192, 256}) {
      for (int m : new int[] {128, 256}) {
        if (m == 256 && n == 256) continue;
        for (int rows : new int[] {1, 2}) {
          for (int columns : new int[] {1, 2}) {
            all.add(new SparseTile(m, n, new ClusterShape(rows, columns, 1), false));
          }
        }
      }
    }
    all.add(new SparseTile(128, 128, new ClusterShape(1, 1, 1), true));
    all.add(new SparseTile(128, 128, new ClusterShape(2, 1, 1), true));
    return List.copyOf(all);
  }

  /** The name, such as {@code 128x256x2}, as dense tiles have it. */
  String name() {
    return m + "x" + n + "x" + cluster.m() + (cluster.n() > 1 ? "-beside" + cluster.n() : "")
        + (cluster.splits() > 1 ? "-split" + cluster.splits() : "") + (pingPong ? "-in-turn" : "");
  }

  /**
   * Whether products of these types can be computed so. Accumulators of f16 are not added from CTA to CTA; those that
   * leave the tensor core belong to all of k and to consumers that share a tile, and need registers for parts of them.
   */
  boolean suits(GemmTypes types) {
    if (types.isPromoted()) {
      return cluster.splits() == 1 && !pingPong && m * n / (consumers() * Warpgroup.SIZE) <= MOST_PROMOTED;
    }
    return cluster.splits() == 1 || types.accumulation() != Accumulation.F16;
  }

  private int consumers() {
    return pingPong ? 2 : Math.min(m / WgmmaAtom.M, 2);
  }

  Sm90GemmConfig configure(GemmProblem p) {
    var variant = pingPong ? Variant.PLAIN.with(Variant.Consumers.PING_PONG) : Variant.PLAIN;
    var tile = new TileShape(m, n, DEPTH_BYTES / p.types().b().bytes());
    var deepest = new Sm90GemmConfig(Operands.of(p).ofSparseA(), tile, consumers(), MOST_STAGES, cluster,
        Math.max(1, BAND_ROWS / (m * cluster.m())), 1, variant);
    return deepest.withStages(Math.min(MOST_STAGES, GemmTile.roomForStages(deepest) / deepest.stageBytes()));
  }

  /** Cycles that a launch should take: waves of tiles, each bound by the tensor core, shared memory or L2. */
  double cycles(GemmProblem p) {
    double instruction = (WgmmaAtom.M * DEPTH_BYTES / SLICES / 2 + n * DEPTH_BYTES / SLICES) / SHARED_RATE;
    double multiplied = m / WgmmaAtom.M * SLICES * Math.max(n / 2.0, instruction);
    int halfRow = DEPTH_BYTES / 2;
    double copied = (double) m * halfRow / cluster.n() + (double) n * DEPTH_BYTES / cluster.m() + m * halfRow / 8.0;
    long steps = Math.ceilDiv((long) p.k() * p.types().b().bytes(), DEPTH_BYTES * cluster.splits());
    long groups = GemmTile.groups(p, m * cluster.m(), n * cluster.n());
    return Math.ceilDiv(groups, GemmTile.room(cluster)) * (EDGE + steps * Math.max(multiplied, copied / L2_RATE));
  }
}
