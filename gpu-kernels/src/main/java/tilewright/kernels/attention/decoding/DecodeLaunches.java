package tilewright.kernels.attention.decoding;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import tilewright.kernel.Chip;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.LaunchSequence;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.HeadPacking;
import tilewright.kernels.attention.AttentionArguments;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.merging.Division;
import tilewright.kernels.attention.scheduling.WorkShares;
import tilewright.kernels.attention.serving.KeySplits;
import tilewright.kernels.attention.serving.Serving;

/**
 * The launches of the decoding kernel for a problem that it computes.
 *
 * @param packing of heads in a tile
 * @param capability of the GPU, times ten
 */
record DecodeLaunches(AttentionProblem p, DecodeShape shape, HeadPacking packing, int capability) {
  /** The argument with the keys that a batch entry has room for. */
  static final String ROOM = "room";

  /**
   * The packing of all heads that share keys, or of the largest part of them that a tile has rows for.
   *
   * @param mostRows of a tile
   */
  static HeadPacking packing(AttentionProblem p, int mostRows) {
    int sharers = p.sizes().sharers();
    int heads = IntStream.iterate(Math.min(sharers, mostRows), n -> n - 1).filter(n -> sharers % n == 0).findFirst()
        .orElseThrow();
    return new HeadPacking(heads).inBoxes();
  }

  /** Conversions have an instruction from SM89 on, and kernels begin while those before them end from SM90 on. */
  private Target target() {
    return Stream.of(Target.SM90, Target.SM89, Target.SM80).filter(t -> t.capability() <= capability).findFirst()
        .orElse(Target.SM80);
  }

  /** The kernel in one launch, which splits no keys. */
  PreparedLaunch whole() {
    return prepare(Division.ofOneLaunch(p));
  }

  /** The kernel on the division of keys that the problem asks for, and the launches that this needs besides. */
  LaunchSequence all() {
    return all(division());
  }

  /** The kernel on a division of the keys, and the launches that this needs besides. */
  LaunchSequence all(Division division) {
    return division.around(prepare(division), p, target());
  }

  /** The launch that computes the schedule of balanced splits. */
  PreparedLaunch schedule() {
    return division().schedule(p, target());
  }

  private Division division() {
    boolean even = !(p.serving().splits() instanceof KeySplits.Balanced);
    boolean alone = even
        && shape.fillsAlone(p.cacheType(), DecodeConfig.tokenFactors(p), p.serving().pages().isPresent());
    int ctas = (alone ? 1 : shape.resident()) * Chip.largest(capability).multiprocessors();
    return Division.of(p, shape.blockKeys(), tiles(), ctas, WorkShares.Kind.PIECES);
  }

  private long tiles() {
    return p.tiles(shape.rows() / packing.stride()) / packing.heads();
  }

  private PreparedLaunch prepare(Division division) {
    var config = DecodeConfig.of(p, shape, packing, division.kind());
    var kernel = CompiledKernel.compile(new Sm80DecodeAttention(config), target());
    var arguments = AttentionArguments.of(kernel, p).integer(ROOM, p.sizes().keys())
        .integer(PageTable.COUNT, p.serving().pages().map(Serving.Pages::count)
            .or(() -> p.serving().tokens().map(Serving.Tokens::count)).orElse(0));
    division.addTo(arguments, p.sizes());
    return new PreparedLaunch(kernel, division.grid(tiles()), arguments.build());
  }
}
