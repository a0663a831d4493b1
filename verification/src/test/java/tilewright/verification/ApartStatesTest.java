package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tilewright.kernel.Target;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Apart;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem.View;
import tilewright.kernels.attention.merging.MergedState;
import tilewright.kernels.attention.merging.PartialStates;
import tilewright.kernels.attention.merging.StateMerge;
import tilewright.kernels.library.AttentionKernels;
import tilewright.numerics.ElementType;
import tilewright.ptx.Launch;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.ApartStatistics;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.AttentionCheck;
import tilewright.verification.cases.Buffers;

/** Attention on parts of the keys, which devices have for example, merged by maxima and sums. */
class ApartStatesTest {
  private static final ElementType TYPE = ElementType.BF16;
  private static final int FIRST = 40;
  private static final int KEYS = 100;
  private static final int HEADS = 2;
  private static final int DIM = 64;

  private static void run(Launch launch) {
    assertEquals(List.of(), new SimulatorBackend(1).run(launch).findings());
  }

  /** The keys of one tensor in two launches: what they leave, merged, is attention on all of them. */
  @Test
  void partsMakeTheWhole() {
    var whole = ApartStatistics.with(AttentionCases.band(TYPE, Sizes.of(1, 5, KEYS, HEADS, DIM), Band.ALL));
    var buffers = AttentionCases.buffers(whole, 7);
    var s = whole.problem().sizes();
    var states = PartialStates.dense(TYPE, s, 2).apart();
    buffers.put("partialO", Buffers.poisoned(TYPE, 2L * 5 * HEADS * DIM));
    for (var name : List.of("partialMaxima", "partialSums")) {
      buffers.put(name, Buffers.poisoned(ElementType.F32, 2L * 5 * HEADS));
    }
    for (int part = 0; part < 2; part++) {
      var of = Sizes.of(1, 5, part == 0 ? FIRST : KEYS - FIRST, HEADS, DIM);
      run(Attention.forward(TYPE, of).tensors(whole.problem().q(), keys("K", part), keys("V", part),
          states.viewO(part)).maximaAndSums(states.viewApart(part)).prepare(AttentionKernels.builtIn().of(80))
          .on(buffers));
    }
    run(StateMerge.prepare(states, MergedState.dense(TYPE, s).with(Apart.dense(s)), Target.SM80).on(buffers));
    assertEquals(Optional.empty(),
        AttentionCheck.compare(whole.problem(), whole.rules(), buffers, buffers).violation());
  }

  private static View keys(String buffer, int part) {
    var view = View.bshd(buffer, KEYS, HEADS, DIM);
    return new View(buffer, (long) part * FIRST * view.sequence() * TYPE.bytes(), view.batch(), view.sequence(),
        view.head(), 1);
  }

  /** Scores of thousands: a logarithm of FP32 is off by 2^-13 there, and so are sums by as much of themselves. */
  @Test
  void sumsOfLargeScoresKeepTheirPrecision() {
    var s = new Sizes(1, 1, 0, 1, 1, 8, 8);
    var buffers = new HashMap<String, MemorySegment>(Map.of("partialO", MemorySegment.ofArray(new float[16]), "O",
        Buffers.poisoned(ElementType.F32, 8), "Maxima", Buffers.poisoned(ElementType.F32, 1), "Sums",
        Buffers.poisoned(ElementType.F32, 1)));
    float[] maxima = {3000, 3000.25f};
    float[] sums = {1.7f, 12.3f};
    buffers.put("partialMaxima", MemorySegment.ofArray(maxima));
    buffers.put("partialSums", MemorySegment.ofArray(sums));
    buffers.get("partialO").setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, 1);
    var states = PartialStates.dense(ElementType.F32, s, 2).apart();
    run(StateMerge.prepare(states, MergedState.dense(ElementType.F32, s).with(Apart.dense(s)), Target.SM80)
        .on(buffers));
    double share = sums[0] * Math.exp(maxima[0] - maxima[1]);
    assertEquals(maxima[1], Buffers.single(buffers.get("Maxima"), 0));
    assertEquals(share + sums[1], Buffers.single(buffers.get("Sums"), 0), 1e-6 * (share + sums[1]));
    assertEquals(share / (share + sums[1]), Buffers.single(buffers.get("O"), 0), 1e-6);
  }

  @Test
  void whatStoresLogarithmsOnlyRefuses() {
    var s = Sizes.of(1, 5, KEYS, HEADS, DIM);
    var p = AttentionProblem.dense(TYPE, s).with(Apart.dense(s));
    var reason = Optional.of("maxima and sums apart need sm80_attention, sm80_decode_attention, sm80_mla_decode or "
        + "sm90_attention: store logarithms");
    assertEquals(reason, AttentionCases.SM100.kernel().refusal(p));
    var latent = AttentionProblem.latent(TYPE, 1, 1, KEYS, 64, 576, 512);
    assertEquals(reason, AttentionCases.SM90_MLA.kernel().refusal(latent.with(Apart.dense(latent.sizes()))));
    refused("gradients need the logarithms: the forward pass must store LSE", () -> Attention.of(p).backward());
    refused("the rows' maxima and sums are stored in the place of their logarithms: leave these out",
        () -> new AttentionProblem(p.type(), s, p.q(), p.k(), p.v(), p.o(), AttentionProblem.dense(TYPE, s).lse(),
            p.scale(), p.band(), p.modification(), p.packed(), false, p.quantized(), p.serving(), p.sinks(),
            p.apart()));
    refused("maxima and sums are merged from states that have them, not from logarithms", () -> StateMerge.prepare(
        PartialStates.dense(TYPE, s, 2), MergedState.dense(TYPE, s).with(Apart.dense(s)), Target.SM80));
  }

  private static void refused(String message, Runnable asked) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, asked::run).getMessage());
  }
}
