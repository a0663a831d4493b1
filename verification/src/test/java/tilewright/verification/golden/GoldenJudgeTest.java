package tilewright.verification.golden;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;

/** The judge itself: it can tell right from wrong, and leaves nothing out. */
class GoldenJudgeTest {

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      AGREED   | "op":"coalesce","args":{"a":"(2,2):(1,2)"},"expect":"4:1","verdict":"ok"
      MISMATCH | "op":"coalesce","args":{"a":"(2,2):(1,2)"},"expect":"4:2","verdict":"ok"
      MISMATCH | "op":"coalesce","args":{"a":"(2,2):(1,2)"},"expect":null,"verdict":"raises"
      MISMATCH | "op":"coalesce","args":{"a":"(2,2"},"expect":"4:1","verdict":"ok"
      MISMATCH | "op":"coalesce","args":{},"expect":"4:1","verdict":"ok"
      MISMATCH | "op":"transmogrify","args":{"a":"4:1"},"expect":"4:1","verdict":"ok"
      AGREED   | "op":"composition","args":{"a":"4:2","b":"2:1"},"expect":"2:2","verdict":"ok","admissible":true
      MISMATCH | "op":"composition","args":{"a":"4:2","b":"2:1"},"expect":"2:3","verdict":"ok","admissible":true
      MISMATCH | "op":"composition","args":{"a":"4:2","b":"2:1"},"expect":"2:2","verdict":"ok","truth":[0,3]
      AGREED   | "op":"composition","args":{"a":"4:2","b":"2:1"},"expect":"2:3","verdict":"wrong","canon":"2:2"
      REFUSED  | "op":"composition","args":{"a":"(6,2):(1,7)","b":"(3,2):(2,3)"},"verdict":"raises","realizable":false
      MISMATCH | "op":"composition","args":{"a":"(6,2):(1,7)","b":"(3,2):(2,3)"},"verdict":"raises","realizable":true
      REFUSED  | "op":"complement","args":{"a":"(2,3):(3,2)"},"expect":"(2,0):(1,6)","verdict":"nontiling"
      MISMATCH | "op":"complement","args":{"a":"4:1","cotarget":"24"},"expect":"6:5","verdict":"ok","admissible":true
      """)
  void tellsRightFromWrong(Outcome outcome, String record) {
    assertEquals(outcome, judge(record).outcome(), () -> judge(record).toString());
  }

  @Test
  void aMismatchNamesWhatWasExpectedAndWhatCame() {
    var judged = judge("""
        "op":"layout_eval","args":{"layout":"(4,8):(8,1)","crd":"(2,3)"},"expect":"20","verdict":"ok\"""");
    assertEquals("20", judged.expected());
    assertEquals("19", judged.ours());
    assertEquals("{\"layout\":\"(4,8):(8,1)\",\"crd\":\"(2,3)\"}", judged.arguments());
  }

  @Test
  void everyRecordCountsOnce(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("some.jsonl"), """
        {"id":"0","op":"coalesce","args":{"a":"(2,2):(1,2)"},"expect":"4:1","verdict":"ok"}

        {"id":"1","op":"coalesce","args":{"a":"(2,2):(1,2)"},"expect":"4:2","verdict":"ok"}
        {"id":"2","op":"transmogrify"}
        """);
    var report = GoldenVectors.judge(folder);
    assertEquals(3, report.records().size());
    assertEquals(2, report.mismatches().size());
    for (var count : report.operations()) {
      assertEquals(count.records(), count.agreed() + count.refused() + count.dialect() + count.mismatches());
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
      [1,2                 | line 1: not JSON
      {"op":"coalesce"}    | line 1: not a record: no text 'id'
      {"id":"0","op":3}    | line 1: not a record: no text 'op'
      3                    | line 1: not a record: no text 'id'
      """)
  void namesTheLineThatIsNoRecord(String line, String message, @TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("bad.jsonl"), line + "\n");
    var failure = assertThrows(MalformedGoldenException.class, () -> GoldenVectors.judge(folder));
    assertTrue(failure.getMessage().contains("bad.jsonl, " + message), failure.getMessage());
  }

  @Test
  void refusesAFolderWithoutVectors(@TempDir Path folder) {
    assertThrows(MalformedGoldenException.class, () -> GoldenVectors.judge(folder));
    assertThrows(MalformedGoldenException.class, () -> GoldenVectors.judge(folder.resolve("absent")));
  }

  private static JudgedRecord judge(String fields) {
    return GoldenVectors.judge(new GoldenRecord(JsonMapper.shared().readTree("{\"id\":\"x\"," + fields + "}")));
  }
}
