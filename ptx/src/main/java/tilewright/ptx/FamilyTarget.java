package tilewright.ptx;

import java.util.regex.Pattern;

/**
 * PTX for one architecture of Blackwell's family, which another of the family takes under its own name: {@code sm_103a}
 * has what {@code sm_100a} has but for {@code kind::i8} of {@code tcgen05.mma} (PTX ISA, Target ISA Notes).
 */
public final class FamilyTarget {
  private static final Pattern TARGET = Pattern.compile("(?m)^\\.target sm_100a\\b");
  private static final int BLACKWELL = 100;
  private static final int BLACKWELL_ULTRA = 103;

  private FamilyTarget() {}

  /** Whether a GPU runs code for an architecture alone: its own, or one of its family that it can be renamed from. */
  public static boolean runs(int architecture, int capability) {
    return capability == architecture || architecture == BLACKWELL && capability == BLACKWELL_ULTRA;
  }

  /**
   * The text for a GPU: for another architecture of its family where the text's is not its own.
   *
   * @param capability the GPU's compute capability times ten
   */
  public static String of(String ptx, int capability) {
    return capability == BLACKWELL_ULTRA ? TARGET.matcher(ptx).replaceFirst(".target sm_103a") : ptx;
  }
}
