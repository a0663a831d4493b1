package tilewright.cli.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import tilewright.simulator.fuzz.PtxSource;

/** The PTX of one kernel. */
record KernelTexts(String ptx) implements PtxSource {
  @Override
  public String next(SplittableRandom random) {
    return ptx;
  }

  @Override
  public List<String> words() {
    return Arrays.stream(ptx.split("[^a-z0-9_:]+")).filter(word -> word.matches("[a-z][a-z0-9_:]*")).distinct()
        .toList();
  }
}
