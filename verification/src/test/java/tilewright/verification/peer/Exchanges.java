package tilewright.verification.peer;

import tilewright.kernels.peer.AllGather;
import tilewright.kernels.peer.OneShotAllReduce;
import tilewright.kernels.peer.PeerLaunches;
import tilewright.kernels.peer.ReduceScatter;
import tilewright.kernels.peer.TwoShotAllReduce;

/** The exchanges of {@link tilewright.kernels.peer}, with their definitions. */
enum Exchanges {
  ALL_GATHER {
    @Override
    PeerLaunches prepare(int ranks, int n, int blocks) {
      return AllGather.prepare(ranks, n, blocks);
    }

    @Override
    float[] of(float[][] x, int rank) {
      var y = new float[x.length * x[0].length];
      for (int r = 0; r < x.length; r++) System.arraycopy(x[r], 0, y, r * x[r].length, x[r].length);
      return y;
    }
  },
  REDUCE_SCATTER {
    @Override
    PeerLaunches prepare(int ranks, int n, int blocks) {
      return ReduceScatter.prepare(ranks, n, blocks);
    }

    @Override
    float[] of(float[][] x, int rank) {
      int n = x[0].length / x.length;
      var y = new float[n];
      System.arraycopy(sums(x), rank * n, y, 0, n);
      return y;
    }
  },
  ONE_SHOT {
    @Override
    PeerLaunches prepare(int ranks, int n, int blocks) {
      return OneShotAllReduce.prepare(ranks, n, blocks);
    }

    @Override
    float[] of(float[][] x, int rank) {
      return sums(x);
    }
  },
  TWO_SHOT {
    @Override
    PeerLaunches prepare(int ranks, int n, int blocks) {
      return TwoShotAllReduce.prepare(ranks, n, blocks);
    }

    @Override
    float[] of(float[][] x, int rank) {
      return sums(x);
    }
  };

  /** Three tiles of 512 and a bit, so that blocks come around. */
  private static final int N = 1540;

  abstract PeerLaunches prepare(int ranks, int n, int blocks);

  /** The numbers of a device, by definition. */
  abstract float[] of(float[][] x, int rank);

  /** Prepares the launches of an exchange of {@code n} numbers. */
  interface Preparation {
    PeerLaunches of(int ranks, int n, int blocks);
  }

  Exchange of(int ranks, int blocks) {
    return of(this::prepare, ranks, blocks);
  }

  /** This exchange by another kernel. */
  Exchange of(Preparation preparation, int ranks, int blocks) {
    return Exchange.of(preparation.of(ranks, N, blocks), this::of, ranks);
  }

  /** Each number is added in order of the ranks. */
  private static float[] sums(float[][] x) {
    var y = x[0].clone();
    for (int r = 1; r < x.length; r++) for (int i = 0; i < y.length; i++) y[i] += x[r][i];
    return y;
  }
}
