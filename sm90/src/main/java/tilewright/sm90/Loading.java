package tilewright.sm90;

import tilewright.async.atom.ElectedThread;
import tilewright.async.atom.Warpgroup;
import tilewright.async.collective.Pipeline;
import tilewright.async.schedule.TileScheduler;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Warp;
import tilewright.kernel.atom.DependentLaunch;
import tilewright.sm90.collective.OperandStages;

/** How the producer's warpgroup fills the ring. */
public enum Loading {
  /** One thread has tensor copies made. */
  TMA(1) {
    @Override
    void run(Scope k, I32 lane, Pipeline ring, TileScheduler tiles, OperandStages operands, boolean exchanged) {
      ElectedThread.ofWarpgroup(k, lane, () -> {
        var stage = ring.producer();
        tiles.forEachLoad(tile -> operands.load(stage, tile));
        if (operands.cluster().shape().splits() > 1) DependentLaunch.allowNext(k);
        stage.finish();
      });
    }
  },

  /**
   * One thread has a layer's weights copied, even before the stream's previous kernel has ended, another what that
   * kernel may have written. Weights are B, or A where the operands are exchanged.
   */
  WEIGHTS_AHEAD(2) {
    @Override
    void begin(Scope k, boolean exchanged) {
      DependentLaunch.readsAhead(k, exchanged ? "A" : "B");
    }

    @Override
    void beginConsumer(Scope k) {
      DependentLaunch.awaitPrevious(k);
    }

    @Override
    void run(Scope k, I32 lane, Pipeline ring, TileScheduler tiles, OperandStages operands, boolean exchanged) {
      loadWeightsAhead(k, lane, ring, tiles, operands, exchanged);
    }
  },

  /** All threads fetch elements one by one, of matrices with any strides, which tensor copies cannot reach. */
  THREADS(Warpgroup.SIZE) {
    @Override
    void run(Scope k, I32 lane, Pipeline ring, TileScheduler tiles, OperandStages operands, boolean exchanged) {
      var stage = ring.producer();
      tiles.forEachLoad(tile -> operands.loadByThreads(stage, lane, tile));
    }
  };

  private final int producers;

  Loading(int producers) {
    this.producers = producers;
  }

  /** Threads whose arrival fills a stage. */
  int producers() {
    return producers;
  }

  /** Waits, in all threads, for the previous kernel's results, unless some threads may go ahead. */
  void begin(Scope k, boolean exchanged) {
    DependentLaunch.awaitPrevious(k);
  }

  /** Waits for them in the warpgroups that multiply, where not all threads have. */
  void beginConsumer(Scope k) {}

  /**
   * Fills the ring, in all threads of the producer's warpgroup.
   *
   * @param lane the thread's number in its warpgroup
   * @param exchanged whether A and B have changed places
   */
  abstract void run(Scope k, I32 lane, Pipeline ring, TileScheduler tiles, OperandStages operands, boolean exchanged);

  private static void loadWeightsAhead(Scope k, I32 lane, Pipeline ring, TileScheduler tiles, OperandStages operands,
      boolean exchanged) {
    k.when(lane.equalTo(0), () -> load(exchanged, ring.producer(), tiles, operands));
    k.when(lane.equalTo(Warp.SIZE), () -> {
      DependentLaunch.awaitPrevious(k);
      // A ring that fills the SM leaves no room: the next kernel's CTAs follow those that end.
      DependentLaunch.allowNext(k);
      load(!exchanged, ring.producer(), tiles, operands);
    });
  }

  private static void load(boolean ofA, Pipeline.Cursor stage, TileScheduler tiles, OperandStages operands) {
    tiles.forEachLoad(tile -> {
      if (ofA) operands.loadA(stage, tile);
      else operands.loadB(stage, tile);
    });
    stage.finish();
  }
}
