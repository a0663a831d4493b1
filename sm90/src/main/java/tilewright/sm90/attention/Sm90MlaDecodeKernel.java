package tilewright.sm90.attention;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionKernel;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionSpecs;
import tilewright.kernels.attention.merging.BlockSplits;
import tilewright.kernels.attention.merging.Division;
import tilewright.kernels.attention.scheduling.WorkShares;
import tilewright.kernels.attention.serving.Serving;
import tilewright.sm90.atom.WgmmaAtom;

/** Decoding by latent attention on Hopper: from a problem to a configuration to a launch. */
public record Sm90MlaDecodeKernel() implements AttentionKernel {
  /** Columns of the latent part of K: those of DeepSeek-V2 and V3, and the step to fewer. */
  private static final int MOST_VALUE_DIM = 512;
  private static final int STEP_OF_VALUE_DIM = 128;

  @Override
  public String name() {
    return "sm90_mla_decode";
  }

  @Override
  public String arch() {
    return "sm90";
  }

  @Override
  public Optional<String> refusal(AttentionProblem p) {
    return refusalOfTensors(p).or(() -> refusalOfFeatures(p)).or(() -> refusalOfCache(p))
        .or(() -> AttentionSpecs.refusal(p, true, "" + MOST_VALUE_DIM));
  }

  private static Optional<String> refusalOfTensors(AttentionProblem p) {
    var s = p.sizes();
    if (!p.isLatent() || s.keyHeads() != 1) {
      return Optional.of("V is not the first columns of K, or K has " + s.keyHeads() + " heads: latent attention reads "
          + "one row for all heads");
    }
    boolean fits = s.valueDim() <= MOST_VALUE_DIM && s.valueDim() % STEP_OF_VALUE_DIM == 0
        && s.headDim() == s.valueDim() + MlaConfig.ROTARY;
    return fits ? Optional.empty() : Optional.of("rows of K of " + s.headDim() + " columns, of which V has "
        + s.valueDim() + ": V has a multiple of " + STEP_OF_VALUE_DIM + " up to " + MOST_VALUE_DIM + ", and K "
        + MlaConfig.ROTARY + " more");
  }

  private static Optional<String> refusalOfFeatures(AttentionProblem p) {
    if (!p.modification().equals(Modification.NONE)) return Optional.of("latent attention has no functions of scores");
    if (p.sinks().isPresent()) return Optional.of("latent attention has no sinks");
    return AttentionSpecs.refusalOfQuantized(p).or(() -> AttentionSpecs.refusalOfApart(p))
        .or(() -> BlockSplits.refusal(p));
  }

  private static Optional<String> refusalOfCache(AttentionProblem p) {
    if (p.serving().padding().isPresent()) return Optional.of("latent attention has no left padding");
    return AttentionSpecs.refusalOfCodes(p).or(() -> ServingRules.refusalOfPages(p, OptionalInt.empty()))
        .or(() -> p.serving().tokens().isPresent() ? AttentionSpecs.refusalOfBandOnTokens(p)
            : ServingRules.refusalOfStrides(p));
  }

  private void requireSupported(AttentionProblem p) {
    refusal(p).ifPresent(reason -> {
      throw new IllegalArgumentException(reason);
    });
  }

  /** The packing of all heads, or of the largest part of them that a tile has rows for. */
  private static HeadPacking packing(AttentionProblem p) {
    int sharers = p.sizes().sharers();
    int heads = IntStream.iterate(Math.min(sharers, WgmmaAtom.M), n -> n - 1).filter(n -> sharers % n == 0)
        .findFirst().orElseThrow();
    // Where queries have keys of their own, a tile has one query.
    return p.serving().tokens().isPresent() ? new HeadPacking(heads, WgmmaAtom.M) : new HeadPacking(heads).inBoxes();
  }

  private static long tiles(AttentionProblem p, HeadPacking packing) {
    return p.tiles(WgmmaAtom.M / packing.stride()) / packing.heads();
  }

  @Override
  public PreparedLaunch prepare(AttentionProblem p) {
    requireSupported(p);
    return prepare(p, packing(p), Division.ofOneLaunch(p));
  }

  @Override
  public LaunchSequence launches(AttentionProblem p) {
    requireSupported(p);
    return launches(p, division(p));
  }

  @Override
  public PreparedLaunch schedule(AttentionProblem p) {
    requireSupported(p);
    return division(p).schedule(p, Target.SM90A);
  }

  private static Division division(AttentionProblem p) {
    return Division.of(p, MlaConfig.KEYS, tiles(p, packing(p)), Chip.H200.multiprocessors(),
        WorkShares.Kind.PERSISTENT);
  }

  /** Prepares the kernel on a division of the keys, and the launches that this needs besides. */
  public LaunchSequence launches(AttentionProblem p, Division division) {
    return division.around(prepare(p, packing(p), division), p, Target.SM90A);
  }

  private PreparedLaunch prepare(AttentionProblem p, HeadPacking packing, Division division) {
    var pages = p.serving().pages();
    var tokens = p.serving().tokens();
    var pageRows = pages.map(Serving.Pages::rows).or(() -> tokens.map(Serving.Tokens::rows));
    var config = new MlaConfig(p.type(), p.sizes().valueDim(), p.band().traced(), packing, division.kind(),
        p.lse().isPresent(), p.serving().lengths().isPresent(),
        pageRows.map(OptionalInt::of).orElse(OptionalInt.empty()), tokens.isPresent());
    var kernel = CompiledKernel.compile(new Sm90MlaDecode(config), Target.SM90A);
    var arguments = AttentionArguments.of(kernel, p).integer(Sm90AttentionKernel.ROOM, p.sizes().keys())
        .integer(PagedKeys.COUNT, pages.map(Serving.Pages::count).or(() -> tokens.map(Serving.Tokens::count))
            .orElse(0));
    var tensors = AttentionArguments.tensors(p);
    config.tensors().giveTo(arguments, tokens.isPresent() ? Map.of("Q", tensors.get("Q"))
        : Map.of("Q", tensors.get("Q"), "K", tensors.get("K")));
    division.addTo(arguments, p.sizes());
    return new PreparedLaunch(kernel, division.grid(Math.max(1, tiles(p, packing))), arguments.build());
  }
}
