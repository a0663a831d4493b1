package tilewright.cli.bench;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Compares the documented budgets of Blackwell kernels with fresh counts. */
class KeptBlackwellBudgetsTest {

  @Test
  void everyConfigurationOfTheGemmIsAsItWasKept() throws IOException {
    KeptBudgets.assertKept("gemm-sm100.jsonl", "budget", "gemm", "--most", "6", "--json");
  }

  /** The kernel's own share of exponentials on FMA units; each of the others takes as long. */
  @Test
  void attentionIsAsItWasKept() throws IOException {
    KeptBudgets.assertKept("attention-sm100.jsonl", "budget", "attention", "--json");
  }

  @Test
  void attentionOfEightBitOperandsIsAsItWasKept() throws IOException {
    KeptBudgets.assertKept("attention-sm100-e4m3.jsonl", "budget", "attention", "--set", "dtype=e4m3", "--json");
  }

  @Test
  void attentionOfBlockScaledOperandsIsAsItWasKept() throws IOException {
    KeptBudgets.assertKept("attention-sm100-mxf8.jsonl", "budget", "attention", "--set", "dtype=mxf8", "--json");
  }

  @Test
  void gradientsAreAsTheyWereKept() throws IOException {
    KeptBudgets.assertKept("attention-backward-sm100.jsonl", "budget", "attention_backward", "--json");
  }
}
