package tilewright.verification.golden;

import java.nio.file.Path;

/** Judges golden vectors: one JSON object a line, what another implementation of the layout algebra answers. */
public final class GoldenVectors {
  private GoldenVectors() {}

  /**
   * Judges every record of every {@code *.jsonl} and {@code *.jsonl.gz} below a folder.
   *
   * @throws MalformedGoldenException if there is no such folder or file, or a line is not a record
   */
  public static GoldenReport judge(Path folder) {
    return new GoldenReport(GoldenFiles.read(folder).stream().map(GoldenVectors::judge).toList());
  }

  static JudgedRecord judge(GoldenRecord golden) {
    return JudgedRecord.of(golden, Judges.of(golden.operation()).map(judge -> attempt(judge, golden))
        .orElseGet(() -> Judgement.mismatch("a judge of " + golden.operation(), "nobody judges this operation")));
  }

  /** A judge that fails has not agreed. */
  private static Judgement attempt(Judge judge, GoldenRecord golden) {
    try {
      var judgement = judge.judge(golden);
      boolean refusesTruth = judgement.outcome() == Outcome.REFUSED && golden.verdict().equals("ok");
      return refusesTruth ? Judgement.mismatch(golden.expected(), judgement.ours()) : judgement;
    } catch (RuntimeException e) {
      return Judgement.mismatch(golden.text("expect").orElse("a refusal"), "failed: " + e);
    }
  }
}
