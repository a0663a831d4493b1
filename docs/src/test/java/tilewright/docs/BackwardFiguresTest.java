package tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.numerics.ElementType;
import tilewright.sm90.attention.backward.Sm90AttentionBackwardKernel;

/** The figures against the PTX of the kernels that they show. */
class BackwardFiguresTest {
  @ParameterizedTest
  @ValueSource(ints = {64, 128})
  void warpgroupsWithKeysOfTheirOwnMultiplyInTheOrderOfTheFigure(int headDim) {
    assertEquals(shown(BackwardFigures.OWN_KEYS), instructions(headDim));
  }

  @Test
  void warpgroupsThatShareColumnsMultiplyInTheOrderOfTheFigure() {
    var shown = shown(BackwardFigures.SHARED_KEYS);
    // dV and dQ, behind the barrier, are one group of wgmma.
    shown.remove(shown.lastIndexOf("commit"));
    assertEquals(shown, instructions(256));
  }

  /** A GEMM is issued before what threads compute beside it. */
  private static List<String> shown(List<BackwardFigures.Phase> phases) {
    var shown = new ArrayList<String>();
    for (var phase : phases) {
      if (!phase.gemm().isEmpty()) shown.add("commit");
      phase.instructions().forEach(instruction -> add(shown, instruction));
    }
    return shown;
  }

  /** The main loop's groups of wgmma, and the kinds of instructions between them, each run of a kind once. */
  private static List<String> instructions(int headDim) {
    var launches = Attention.forward(ElementType.BF16, Sizes.of(1, 256, 256, 1, headDim)).backward()
        .prepare(List.of(new Sm90AttentionBackwardKernel()));
    var found = new ArrayList<String>();
    launches.launches().get(1).kernel().ptx().lines().map(BackwardFiguresTest::kind).flatMap(Optional::stream)
        .forEach(kind -> add(found, kind));
    return found.subList(found.indexOf("commit"), found.indexOf("red") + 1);
  }

  private static Optional<String> kind(String line) {
    if (line.contains("wgmma.commit_group")) return Optional.of("commit");
    return List.of("ex2", "stmatrix", "bar", "red").stream().filter(kind -> line.strip().startsWith(kind + "."))
        .findFirst();
  }

  private static void add(List<String> kinds, String kind) {
    if (kind.equals("commit") || kinds.isEmpty() || !kinds.getLast().equals(kind)) kinds.add(kind);
  }
}
