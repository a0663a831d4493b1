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
      MISMATCH | "op":"complement","args":{"a":"(2,3):(3,2)"},"expect":"(2,0):(1,6)","verdict":"ok"
      AGREED   | "op":"left_inverse","args":{"a":"4:2"},"expect":"(2,4):(4,1)","verdict":"ok","admissible":true
      AGREED   | "op":"left_inverse","args":{"a":"(2,2):(1,1)"},"expect":"2:1","verdict":"wrong"
      REFUSED  | "op":"left_inverse","args":{"a":"(4,12):(8,10)"},"expect":"2:1","verdict":"wrong"
      AGREED   | "op":"right_inverse","args":{"a":"(2,3):(3,1)"},"expect":"3:2","verdict":"ok"
      MISMATCH | "op":"right_inverse","args":{"a":"(2,3):(4,1)"},"expect":"(3,2):(2,1)","verdict":"ok"
      MISMATCH | "op":"logical_divide","args":{"a":"8:1","tiler":"2:1"},"expect":"(2,4):(1,1)","verdict":"ok",\
      "admissible":true
      AGREED   | "op":"logical_divide","args":{"a":"8:1","tiler":"2:1"},"expect":"(2,4):(1,2)","verdict":"ok",\
      "admissible":true
      MISMATCH | "op":"swizzle","args":{"B":1,"M":0,"S":1},"expect":"x","verdict":"ok","table":[0,1,3,3],"samples":[]
      MISMATCH | "op":"swizzle","args":{"B":1,"M":0,"S":1},"expect":"x","verdict":"ok","samples":[[2,2]]
      MISMATCH | "op":"tract_compose","args":{"f":{"domain":"2","codomain":"2","map":[1]},"g":{"domain":"2",\
      "codomain":"2","map":[1]}},"expect":{"domain":"2","codomain":"2","map":[0]},"verdict":"ok"
      MISMATCH | "op":"hw_sf","name":"x","layout":"(2,3):(1,1)"
      MISMATCH | "op":"hw_tmem","name":"x","layout":"(2,3):(1,2)","table_head":[0,1,2,4]
      MISMATCH | "op":"hw_smem","name":"x","layout":"Sw<1,4,3> o smem_ptr[16b] o (8,16):(16,1)",\
      "element_layout":"Sw<1,4,3> o 0 o (8,16):(16,1)"
      MISMATCH | "op":"hw_mma","name":"x","Shape_MNK":"(2,2,2)","ThrID":"2:1","ALayout":"(2,2):(1,2)",\
      "BLayout":"(2,2):(1,2)","CLayout":"(2,2):(1,1)"
      MISMATCH | "op":"hw_mma","name":"SM80_16x8x16_F32F16F16F32_TN","Shape_MNK":"(16,8,16)","ThrID":"32:1",\
      "ALayout":"(32,8):(1,32)","BLayout":"(32,4):(1,32)","CLayout":"(32,4):(1,32)"
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
  void anUncheckedAnswerThatViolatesTheDefinitionIsNoted() {
    var judged = judge("""
        "op":"composition_identity","args":{"shape":"(12,7)","b":"6:7"},"expect":"(2,3):(7@0,1@1)",\
        "verdict":"unchecked","admissible":true""");
    assertEquals(Outcome.AGREED, judged.outcome());
    assertEquals("(2,3):(7@0,2@0+1@1)", judged.ours());
    assertTrue(judged.oracleWrong());
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
