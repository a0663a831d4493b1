package tilewright.verification.golden;

/** How our answer stands to a record; every record has exactly one. */
public enum Outcome {
  /** Ours is the record's, or the one that the definition demands where the record's own is known to be wrong. */
  AGREED,
  /** Ours is a refusal, and by the definition there is no answer. */
  REFUSED,
  /** The record follows a convention that is not our default; put into it, ours is the record's. */
  DIALECT,
  /** Ours is wrong, missing, or nobody judges the operation. */
  MISMATCH
}
