package tilewright.docs.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.docs.source.BrokenSiteException;

class RuntimeFiguresTest {
  private static final String SOAK = """
      {"date":"2026-01-02","gpu":"H200","driver":"13.0","commit":"0123456789abcdef","seconds":120.4,"cycles":50,
       "launches":150,"deviceBytes":0,"residentBytes":2097152,"wrong":0}
      """;

  @TempDir
  Path docs;

  private String written(String record) throws IOException {
    Files.writeString(Files.createDirectories(docs.resolve("benchmarks/runtime")).resolve("run.json"), record);
    RuntimeFigures.write(docs, docs);
    return Files.readString(docs.resolve("runtime.adoc"));
  }

  @Test
  void aSoakBecomesASentence() throws IOException {
    assertEquals("H200, driver for CUDA 13.0, 2026-01-02, commit 0123456789: 50 cycles of opening, launching and "
        + "closing with 150 launches in 120 s: device memory grew by 0 bytes, the process by 2.0 MiB; "
        + "0 wrong results.\n\n", written(SOAK));
  }

  @Test
  void launchesBecomeASentence() throws IOException {
    assertEquals("H200, driver for CUDA 13.0, 2026-01-02, commit abc: 100 launches from Java cost 2.50 µs each in the "
        + "median, 90 % at most 3.00, 99 % at most 4.00; with the wait for the device 2.75; 0.5 bytes of garbage each; "
        + "a graph of one kernel 2.25 µs.\n\n", written("""
        {"date":"2026-01-02","gpu":"H200","driver":"13.0","java":"25","commit":"abc","launches":100,"medianUs":2.5,
         "p90Us":3,"p99Us":4,"bytesPerLaunch":0.5,"throughputUs":2.75,"graphLaunchUs":2.25}
        """));
  }

  @Test
  void tracingBecomesASentence() throws IOException {
    assertEquals("One thread of EPYC, 2026-01-02, commit abc: choosing a configuration, tracing and printing its PTX "
        + "takes 2.0 ms in the median of 3 kernels and tiles once the JVM is warm, and at most 30.5 (b, 900 lines); "
        + "the first time, 80 at most.\n\n", written("""
        {"date":"2026-01-02","processor":"EPYC","java":"25","commit":"abc","rows":[
         {"kernel":"a","lines":100,"firstMs":80,"medianMs":2},{"kernel":"b","lines":900,"firstMs":60,"medianMs":30.5},
         {"kernel":"c","lines":10,"firstMs":1,"medianMs":0.25}]}
        """));
  }

  @Test
  void aMissingFieldIsAFault() {
    assertThrows(BrokenSiteException.class, () -> written(SOAK.replace("cycles", "rounds")));
  }

  @Test
  void withoutRecordsThePageSaysSo() throws IOException {
    RuntimeFigures.write(docs, docs);
    assertEquals("No run has been recorded yet.\n", Files.readString(docs.resolve("runtime.adoc")));
  }
}
