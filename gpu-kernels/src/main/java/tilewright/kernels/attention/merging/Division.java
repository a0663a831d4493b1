package tilewright.kernels.attention.merging;

import java.util.ArrayList;
import java.util.List;
import tilewright.kernel.LaunchArguments;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.SplitKeys;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.scheduling.WorkShares;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.ptx.Dim3;

/** The division of a problem's keys among the CTAs of a decoding kernel, and the launches that it needs besides. */
public sealed interface Division {

  /**
   * The division that a problem asks for.
   *
   * @param keys of a block
   * @param tiles of queries, of all heads and batch entries
   * @param resident tiles that a GPU works on at a time
   * @param workers of the kernel, where splits are balanced
   */
  static Division of(AttentionProblem p, int keys, long tiles, int resident, WorkShares.Kind workers) {
    boolean apart = p.apart().isPresent();
    return WorkShares.of(p, keys, tiles, resident, workers)
        .<Division>map(shares -> new Balanced(shares, keys, apart))
        .or(() -> BlockSplits.of(p, keys, tiles, resident).map(splits -> new Even(splits, apart)))
        .orElseGet(None::new);
  }

  /**
   * The division of a problem in one launch.
   *
   * @throws IllegalArgumentException where the problem asks for splits that another launch merges
   */
  static Division ofOneLaunch(AttentionProblem p) {
    switch (p.serving().splits()) {
      case KeySplits.Fixed(var keys) -> throw new IllegalArgumentException("splits of " + keys
          + " keys are merged by another launch: take launches");
      case KeySplits.Balanced _ -> throw new IllegalArgumentException(
          "balanced splits are merged by another launch: take launches");
      case KeySplits.Automatic _, KeySplits.Ranges _ -> {
        return new None();
      }
    }
  }

  /** The kind for which the kernel is traced. */
  Splitting kind();

  /** The CTAs of the kernel, given the tiles of queries of all heads and batch entries. */
  Dim3 grid(long tiles);

  /** Gives the division to the kernel's launch. */
  void addTo(LaunchArguments arguments, Sizes sizes);

  /**
   * The launch that computes the schedule.
   *
   * @throws IllegalArgumentException where there is none
   */
  default PreparedLaunch schedule(AttentionProblem p, Target target) {
    throw new IllegalArgumentException("splits " + p.serving().splits() + " have no schedule: take balanced ones");
  }

  /** The kernel's launch with those that it needs before and behind it. */
  LaunchSequence around(PreparedLaunch kernel, AttentionProblem p, Target target);

  /** A tile has all of its keys. */
  record None() implements Division {
    @Override
    public Splitting kind() {
      return Splitting.NONE;
    }

    @Override
    public Dim3 grid(long tiles) {
      return Dim3.of(Math.toIntExact(tiles));
    }

    @Override
    public void addTo(LaunchArguments arguments, Sizes sizes) {}

    @Override
    public LaunchSequence around(PreparedLaunch kernel, AttentionProblem p, Target target) {
      return LaunchSequence.of(kernel);
    }
  }

  /**
   * All tiles have the same number of splits.
   *
   * @param apart whether these leave maxima and sums apart
   */
  record Even(BlockSplits splits, boolean apart) implements Division {
    private PartialStates states(Sizes sizes) {
      var states = PartialStates.ofSplits(sizes, splits.count());
      return apart ? states.apart() : states;
    }

    @Override
    public Splitting kind() {
      return Splitting.EVEN;
    }

    @Override
    public Dim3 grid(long tiles) {
      return Dim3.of(Math.toIntExact(tiles * splits.count()));
    }

    @Override
    public void addTo(LaunchArguments arguments, Sizes sizes) {
      states(sizes).addTo(arguments).integer(SplitKeys.COUNT, splits.count())
          .integer(SplitKeys.BLOCKS, splits.blocks());
    }

    @Override
    public LaunchSequence around(PreparedLaunch kernel, AttentionProblem p, Target target) {
      var states = states(p.sizes());
      return new LaunchSequence(List.of(kernel, StateMerge.prepare(p, states, target)), states.workspace());
    }
  }

  /**
   * Workers have equal shares of the batch.
   *
   * @param keys of a block
   * @param apart whether they leave maxima and sums apart
   */
  record Balanced(WorkShares shares, int keys, boolean apart) implements Division {
    private PartialStates states(Sizes sizes) {
      var states = PartialStates.ofShares(sizes, shares);
      return apart ? states.apart() : states;
    }

    @Override
    public Splitting kind() {
      return Splitting.BALANCED;
    }

    @Override
    public Dim3 grid(long tiles) {
      return shares.grid();
    }

    @Override
    public void addTo(LaunchArguments arguments, Sizes sizes) {
      shares.addTo(states(sizes).addTo(arguments));
    }

    @Override
    public PreparedLaunch schedule(AttentionProblem p, Target target) {
      return shares.schedule(p, keys, target);
    }

    /** Launches begin with the schedule, unless an earlier one has left it. */
    @Override
    public LaunchSequence around(PreparedLaunch kernel, AttentionProblem p, Target target) {
      var launches = new ArrayList<PreparedLaunch>();
      var workspace = new ArrayList<>(states(p.sizes()).workspace());
      boolean given = p.serving().splits() instanceof KeySplits.Balanced(var schedule) && schedule.isPresent();
      if (!given) {
        launches.add(schedule(p, target));
        workspace.add(shares.scratch());
      }
      launches.add(kernel);
      launches.add(StateMerge.prepare(p, shares, target));
      return new LaunchSequence(launches, workspace);
    }
  }
}
