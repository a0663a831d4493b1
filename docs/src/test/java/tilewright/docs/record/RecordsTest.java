package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.docs.source.BrokenSiteException;

class RecordsTest {
  private static final String RUN = """
      {"date":"2026-01-02","gpu":"H200","driver":"13.0",
       "versions":{"cublas":"13.1","os":"x"},"commit":"0123456789abcdef-dirty",
       "rows":[{"kernel":"sm80-gemm","arch":"sm80","config":"4096|TN","unit":"TFLOP/s","ours":400.25,"floor":989,
                "peers":{"cublas":800},"ratio":0.5003}]}
      """;

  @TempDir
  Path docs;

  @Test
  void aRecordedRunBecomesATable() throws IOException {
    record("run.json", RUN);
    assertEquals("""
        .H200, driver for CUDA 13.0, cublas 13.1, 2026-01-02, commit 0123456789-dirty
        [cols="2,1,4,>1,>1,>2,>1,>1,>1"]
        |===
        |Kernel |Arch |Config |Ours |Unit |Peers |Ratio |Floor |Of floor

        |sm80-gemm |sm80 |4096\\|TN |400 |TFLOP/s |cublas 800 |0.50 |989 |40 %
        |===

        """, tables());
  }

  @Test
  void aRunWithoutPeersHasNoRatio() throws IOException {
    record("run.json", RUN.replace("{\"cublas\":800}", "{}").replace("0.5003", "null"));
    assertTrue(tables().contains("|400 |TFLOP/s | | |989 |40 %\n"), tables());
  }

  @Test
  void aRatioWithASpreadShowsBoth() throws IOException {
    record("run.json", RUN.replace("\"ratio\":0.5003", "\"ratio\":0.99849,\"ratioSpread\":[0.993,1.0042]"));
    assertTrue(tables().contains("|0.998 (0.993 to 1.004) |"), tables());
  }

  @Test
  void measuredLimitsAreNamed() throws IOException {
    record("run.json", RUN.replace("\"rows\"", "\"limits\":{\"f32\":60.5,\"copy\":4.28},\"rows\""));
    assertTrue(tables().contains("Measured limits: copy 4.28 TB/s, f32 60.50 TFLOP/s.\n"), tables());
  }

  @Test
  void howLongEachSideRanBeforeIsSaid() throws IOException {
    record("run.json", RUN.replace("\"rows\"", "\"limits\":{\"copy\":4.28},\"warmMs\":200,\"rows\""));
    assertTrue(tables().contains("copy 4.28 TB/s. Each side ran 200 ms before it was timed.\n"), tables());
  }

  @Test
  void aRecordWithoutAFieldIsAFaultThatNamesFileAndField() throws IOException {
    record("run.json", RUN.replace("\"ratio\"", "\"rate\""));
    var fault = assertThrows(BrokenSiteException.class, this::tables);
    assertTrue(fault.getMessage().contains("run.json: no field 'ratio'"), fault.getMessage());
  }

  @Test
  void aDamagedRecordIsAFault() throws IOException {
    record("run.json", RUN.substring(0, 40));
    assertThrows(BrokenSiteException.class, this::tables);
  }

  private void record(String name, String text) throws IOException {
    Files.writeString(Files.createDirectories(docs.resolve("benchmarks")).resolve(name), text);
  }

  private String tables() throws IOException {
    Records.write(docs, docs);
    return Files.readString(docs.resolve("record-run.adoc"));
  }
}
