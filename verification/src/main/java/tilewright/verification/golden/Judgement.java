package tilewright.verification.golden;

/**
 * What became of one record.
 *
 * @param expected the answer that the record or the definition demands
 * @param ours our answer, or why we refuse
 */
record Judgement(Outcome outcome, String expected, String ours) {

  static Judgement agreed(Object ours) {
    return new Judgement(Outcome.AGREED, String.valueOf(ours), String.valueOf(ours));
  }

  static Judgement refused(String reason) {
    return new Judgement(Outcome.REFUSED, "a refusal", reason);
  }

  static Judgement dialect(Object expected, Object ours) {
    return new Judgement(Outcome.DIALECT, String.valueOf(expected), String.valueOf(ours));
  }

  static Judgement mismatch(Object expected, Object ours) {
    return new Judgement(Outcome.MISMATCH, String.valueOf(expected), String.valueOf(ours));
  }

  /** Agreed if equal in print. */
  static Judgement equal(Object expected, Object ours) {
    return String.valueOf(expected).equals(String.valueOf(ours)) ? agreed(ours) : mismatch(expected, ours);
  }

  boolean isMismatch() {
    return outcome == Outcome.MISMATCH;
  }
}
