package tilewright.simulator.fuzz;

import java.util.List;
import java.util.SplittableRandom;

/** The PTX texts that mutations begin with. */
public interface PtxSource {
  /** Draws a text; equal states of the generator give equal texts. */
  String next(SplittableRandom random);

  /** Returns words that occur in names of instructions, which mutations put elsewhere. */
  List<String> words();
}
