package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernel.collective.attention.MaskMod;
import tilewright.kernel.collective.attention.Modification;
import tilewright.kernel.collective.attention.ScoreMod;
import tilewright.kernels.attention.AttentionBackwardProblem;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;

/** Assembles Hopper's gradients of attention: without spills and without serialised {@code wgmma}. */
class Sm90AttentionBackwardAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();
  private static final int BLOCK_BYTES = 232448;
  /** The note that a {@code wgmma.fence} was put in, which costs nothing. */
  private static final String PUT_IN = "C7519";
  /** One for each shape of tiles: 96 takes the tiles of 128. */
  private static final int[][] DIMS = {{32, 32}, {64, 64}, {128, 128}, {192, 128}, {192, 192}, {256, 256}};

  /** A kernel, and its features in words. */
  record Form(String name, AttentionBackwardProblem problem) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Form> problems() {
    MaskMod document = (_, _, q, k) -> k.lessThan(q.plus(1)).and(q.dividedBy(500).equalTo(k.dividedBy(500)));
    ScoreMod alibi = (score, _, h, q, k) -> k.minus(q).toF32().fma(h.plus(1).toF32().times(-4).exp2(), score);
    var all = new ArrayList<Form>();
    for (var dims : DIMS) {
      var plain = AttentionProblem.dense(ElementType.BF16, new Sizes(1, 4096, 4096, 2, 1, dims[0], dims[1]));
      add(all, dims, "all", plain);
      add(all, dims, "causal", plain.with(Band.CAUSAL));
      add(all, dims, "window", plain.with(Band.window(512, 0)));
      add(all, dims, "softcap", plain.with(scored(ScoreMod.softcap(30))));
      add(all, dims, "causal with ALiBi", plain.with(Band.CAUSAL).with(scored(alibi)));
      var masked = new Modification(Optional.empty(), Optional.of(document));
      add(all, dims, "documents", plain.with(masked));
      add(all, dims, "documents in a window", plain.with(Band.window(512, 0)).with(masked));
      add(all, dims, "ALiBi in documents",
          plain.with(new Modification(Optional.of(alibi), Optional.of(document))));
    }
    return all;
  }

  private static Modification scored(ScoreMod function) {
    return new Modification(Optional.of(function), Optional.empty());
  }

  private static void add(List<Form> all, int[] dims, String scores, AttentionProblem forward) {
    var packed = forward.with(new Packed("cuQ", "cuK", 5, 4096));
    for (boolean deterministic : new boolean[] {false, true}) {
      var name = dims[0] + "/" + dims[1] + " " + scores + (deterministic ? " in order" : "");
      all.add(new Form(name, AttentionBackwardProblem.dense(forward).deterministic(deterministic)));
      all.add(new Form(name + " packed", AttentionBackwardProblem.dense(packed).deterministic(deterministic)));
    }
  }

  static List<Form> sample() {
    return problems().stream().filter(form -> LongSuite.includes(form.name())).toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sample")
  void isAssembledWithoutWarningsAndSpills(Form form) {
    var kernel = kernel(form);
    assertEquals(Math.min(BLOCK_BYTES, kernel.dynamicSharedBytes()), kernel.dynamicSharedBytes());
    switch (ASSEMBLER.assemble(kernel.ptx(), "sm_90a")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings().stream().filter(warning -> !warning.contains(PUT_IN)).toList());
        assertEquals(0, assembled.resources().getFirst().spillStoreBytes());
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  /** The kernel between those that prepare rows and convert dQ. */
  private static CompiledKernel kernel(Form form) {
    return new Sm90AttentionBackwardKernel().prepare(form.problem()).launches().get(1).kernel();
  }
}
