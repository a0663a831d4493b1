package tilewright.verification.golden;

/** Computes an operation for a record and compares the answers. */
@FunctionalInterface
interface Judge {
  Judgement judge(GoldenRecord golden);
}
