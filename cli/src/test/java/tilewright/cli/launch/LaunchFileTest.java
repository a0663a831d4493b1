package tilewright.cli.launch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Exit;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.Launch.Argument;
import tilewright.ptx.LaunchFeature;
import tilewright.ptx.PtxType;
import tilewright.ptx.tensormap.Interleave;
import tilewright.ptx.tensormap.L2Promotion;
import tilewright.ptx.tensormap.OutOfBoundsFill;
import tilewright.ptx.tensormap.SwizzleMode;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;
import tilewright.ptx.tensormap.WideMode;

class LaunchFileTest {
  @TempDir
  Path folder;

  @BeforeEach
  void writeTheFilesThatLaunchesName() throws IOException {
    Files.writeString(folder.resolve("kernel.ptx"), ".version 8.0\n");
    Files.write(folder.resolve("a.bin"), new byte[] {1, 2, 3, 4});
    Files.write(folder.resolve("d.bin"), new byte[] {7, 7, 8, 7});
  }

  @Test
  void readsEveryFieldOfALaunch() throws IOException {
    var file = read("""
        {"ptx": "kernel.ptx", "entry": "k",
         "grid": [2,3,4], "block": [128], "cluster": [1,1,1], "dynamicSharedBytes": 4096,
         "buffers": {"a": {"bytes": 4, "file": "a.bin"}, "d": {"bytes": 8, "fill": "0xCD"}},
         "args": [{"buffer": "a"}, {"buffer": "d", "bufferOffset": 4},
                  {"u32": 5}, {"f32": 1.5}, {"f16": -2}, {"s32": -1}, {"b64": "0xFFFFFFFFFFFFFFFF"}, {"bf16": "0x3f80"},
                  {"struct": {"bytes": 64, "fields": [{"offset": 8, "buffer": "a"}, {"offset": 16, "u32": 7}]}}]}
        """);
    var launch = file.launch();
    assertEquals(".version 8.0\n", launch.ptx());
    assertEquals("k", launch.entry());
    assertEquals(new Dim3(2, 3, 4), launch.grid());
    assertEquals(new Dim3(128, 1, 1), launch.block());
    assertEquals(Dim3.ONE, launch.cluster());
    assertEquals(4096, launch.dynamicSharedBytes());
    assertArrayEquals(new byte[] {1, 2, 3, 4}, launch.bytes("a"));
    assertArrayEquals(new byte[] {-51, -51, -51, -51, -51, -51, -51, -51}, launch.bytes("d"));
    assertEquals(List.of(new Argument.Buffer("a"), new Argument.Buffer("d", 4), Argument.u32(5), Argument.f32(1.5f),
        new Argument.Scalar(PtxType.F16, 0xC000), new Argument.Scalar(PtxType.S32, 0xFFFFFFFFL),
        new Argument.Scalar(PtxType.B64, -1), new Argument.Scalar(PtxType.BF16, 0x3F80),
        new Argument.Struct(64, List.of(
            new Argument.Field(8, new Argument.Buffer("a")), new Argument.Field(16, Argument.u32(7))))),
        launch.arguments());
  }

  @Test
  void saysWhereTheOutputsDiffer() throws IOException {
    var file = read("""
        {"ptx": "kernel.ptx", "entry": "k", "args": [],
         "buffers": {"d": {"bytes": 4, "fill": 7}, "a": {"file": "a.bin"}}, "expect": {"d": "d.bin", "a": "a.bin"}}
        """);
    assertEquals(Optional.of("d: byte 2 is 0x07, expected 0x08; 1 of 4 bytes differ"), file.mismatch());
  }

  @Test
  void expectsNothingThatIsNotSaid() throws IOException {
    assertEquals(Optional.empty(), read("""
        {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"d": {"bytes": 4, "fill": 7}}}
        """).mismatch());
  }

  @Test
  void readsBackWhatIsWritten() {
    var launch = new Launch("// text\n", "k", new Dim3(2, 3, 4), Dim3.of(64), new Dim3(2, 1, 1), 512,
        EnumSet.allOf(LaunchFeature.class), Set.of("a"), Map.of("a", MemorySegment.ofArray(new byte[] {1, 2, 3})),
        List.of(new Argument.Buffer("a", 2), Argument.f32(Float.NaN), Argument.u64(-1),
            new Argument.Struct(16, List.of(new Argument.Field(4, new Argument.Buffer("a", 1))))));
    var dumped = folder.resolve("dump");
    LaunchFileWriter.write(dumped, launch);
    var read = LaunchFile.read(dumped.resolve("launch.json")).launch();
    assertEquals(launch.toString(), read.toString());
    assertEquals(launch.arguments(), read.arguments());
    assertEquals(launch.cluster(), read.cluster());
    assertEquals(launch.features(), read.features());
    assertEquals(launch.ahead(), read.ahead());
    assertEquals(launch.ptx(), read.ptx());
    assertArrayEquals(launch.bytes("a"), read.bytes("a"));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      "dtype": "bf17" | args[0].tensorMap.dtype is bf17; needed is one of [u8, u16
      "dtype": "u8" | lacks "dims"
      "dtype": "u8", "dims": [16], "box": [16], "swizle": "none" | unknown key "swizle"; did you mean swizzle?
      "dtype": "u8", "dims": [16], "box": [16], "wideMode": "W" | unknown key "wideMode"
      "dtype": "u8", "dims": 5 | args[0].tensorMap.dims is 5; needed is a list of integers
      "dtype": "u8", "dims": [16], "box": [16.5] | args[0].tensorMap.box is 16.5; needed is an integer from
      "dtype": "u8", "dims": [16], "box": [16], "swizzle": "48B" | swizzle is 48B; needed is one of [none, 32B, 64B
      "dtype": "u8", "dims": [16], "box": [16], "mode": "tile" | mode is tile; needed is tiled, im2col or im2colWide
      """)
  void saysWhatIsWrongWithATensorMap(String fields, String complaint) {
    var failure = assertThrows(CommandFailure.class, () -> read("""
        {"ptx": "kernel.ptx", "entry": "k", "buffers": {"a": {"file": "a.bin"}},
         "args": [{"tensorMap": {"buffer": "a", %s}}]}
        """.formatted(fields)));
    assertTrue(failure.getMessage().contains(complaint), failure.getMessage());
  }

  @Test
  void readsTheSimplestTensorMap() throws IOException {
    var launch = read("""
        {"ptx": "kernel.ptx", "entry": "k", "buffers": {"a": {"file": "a.bin"}},
         "args": [{"tensorMap": {"buffer": "a", "dtype": "bf16", "dims": [64, 32], "strides": [128], "box": [32, 8]}}]}
        """).launch();
    var view = new TensorView(TensorElement.BF16, List.of(64L, 32L), List.of(128L), List.of(1, 1), Interleave.NONE,
        SwizzleMode.NONE, L2Promotion.NONE, OutOfBoundsFill.ZERO);
    assertEquals(List.of(new Argument.TensorMapOf(new Argument.Buffer("a"),
        new TensorMap.Tiled(view, List.of(32, 8)))), launch.arguments());
  }

  @Test
  void readsBackEveryKindOfTensorMap() {
    var view = new TensorView(TensorElement.F16, List.of(64L, 9L, 8L, 5L), List.of(128L, 1152L, 9216L),
        List.of(1, 2, 3, 1), Interleave.B16, SwizzleMode.B128_ATOM_32B, L2Promotion.B256, OutOfBoundsFill.NAN);
    var maps = List.of(new TensorMap.Tiled(view, List.of(8, 4, 2, 1)),
        new TensorMap.Im2col(view, List.of(-1, 2), List.of(-3, 4), 64, 32),
        new TensorMap.Im2colWide(view, -1, 2, 64, 32, WideMode.W128));
    var arguments = maps.stream()
        .map(map -> (Argument) new Argument.TensorMapOf(new Argument.Buffer("a", 16), map)).toList();
    var dumped = folder.resolve("dump");
    LaunchFileWriter.write(dumped, new Launch("", "k", Dim3.ONE, Dim3.ONE, Dim3.ONE, 0,
        Map.of("a", MemorySegment.ofArray(new byte[] {1, 2, 3})), arguments));
    assertEquals(arguments, LaunchFile.read(dumped.resolve("launch.json")).launch().arguments());
  }

  @Test
  void recordsOutputsAsTheExpectation() throws IOException {
    var file = read("""
        {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"d": {"bytes": 4, "fill": 7}}}
        """);
    file.launch().buffers().get("d").fill((byte) 9);
    LaunchFileWriter.recordExpected(file, List.of("d"), 90);
    var recorded = LaunchFile.read(file.path());
    assertArrayEquals(new byte[] {9, 9, 9, 9}, recorded.expected().get("d"));
    assertEquals(OptionalInt.of(90), recorded.architecture());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
      {"ptx": "kernel.ptx", "entry": "k"} | lacks "args"
      {"ptx": "none.ptx", "entry": "k", "args": []} | none.ptx: no such file (named by
      {"ptx": "kernel.ptx", "entry": 5, "args": []} | entry is 5; needed is a string
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"buffer": "x"}]} | args[0] names buffer "x"; "buffers" has []
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"u32": 4294967296}]} | args[0].u32 is 4294967296; needed is a number that u32 has
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"u31": 1}]} | args[0] has an unknown key "u31"; did you mean u32?
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"f32": 1e39}]} | args[0].f32 is 1.0E39; needed is a number that f32 has
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"f16": 65520}]} | args[0].f16 is 65520; needed is a number that f16 has
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"f64": 1e999}]} | args[0].f64 is "Infinity"; needed is a number
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"u32": "0x-1"}]} | args[0].u32 is "0x-1"; needed is a number that
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"u32": 1, "u64": 1}]} | args[0] is both "u32" and "u64"
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"u32": 1, "bufferOffset": 1}]} | args[0] has an unknown key
      {"ptx": "kernel.ptx", "entry": "k", "args": {"u32": 1}} | args is {"u32":1}; needed is an array
      {"ptx": "kernel.ptx", "entry": "k", "args": [7]} | args[0] is 7; needed is an object
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"bf16": 1}]} | args[0].bf16 is 1; needed is a number that bf16 has
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "features": ["cooperativ"]} | did you mean cooperative?
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "grids": [2]} | has an unknown key "grids"; did you mean grid?
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "Block": [2]} | has an unknown key "Block"; did you mean block?
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "dynamicShared": 2} | did you mean dynamicSharedBytes?
      {"version": 2, "entrance": "k"} | has version 2 of the format; this program reads versions up to 1: use a newer one
      {"version": "one", "ptx": "kernel.ptx", "entry": "k", "args": []} | version is "one"; needed is an integer from 1
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "zzz": 2} | unknown key "zzz"; known are ptx, entry, grid
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "grid": [2], "grid": [3]} | is not JSON at line 1, column
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "grid": null} | grid is null; needed is up to three integers
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "grid": ["010"]} | grid[0] is "010"; needed is an integer
      {"ptx": "kernel.ptx", "entry": "k", "args": []} {} | is not JSON at line 1
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "features": "programmatic"} | features is "programmatic"; needed is
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"a": 4}} | buffers.a is 4; needed is an object
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"a": {"byte": 4}}} | "byte"; did you mean bytes?
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"a": {"bytes": 4, "layout": "4:1"}}} | without a "dtype"
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"a": {"bytes": 4, "file": 4}}} | file is 4; needed is a string
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"buffer": "inn"}], "buffers": {"in": {"bytes": 4}}} | did you mean in?
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"struct": {"bytes": 8, "fields": [], "field": 1}}]} | did you mean fields?
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"struct": {"bytes": 8, "fields": [{"ofset": 0, "u32": 1}]}}]} | lacks "offset"
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"tensorMap": {}}]} | lacks "buffer"
      {"ptx": "kernel.ptx", "entry": "k", "args": [{"tensorMap": {"buffer": "x"}}]} | names buffer "x"; "buffers" has []
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "grid": [0]} | grid[0] is 0; needed is an integer from 1
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "grid": 7} | grid is 7; needed is up to three integers
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": []} | buffers is []; needed is an object
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"a": {"fill": 1}}} | has neither "file" nor "bytes"
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"a": {"file": "a.bin", "fill": 1}}} | has both
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"a": {"bytes": 4, "dtype": "f33"}}} | dtype is f33
      {"ptx": "a.bin", "entry": "k", "args": [], "buffers": {"a": {"bytes": 4, "dtype": "f32", "layout": "("}}} | layout
      {"ptx": "a.bin", "entry": "k", "args": [], "buffers": {"a": {"bytes": 5, "file": "a.bin"}}} | but its file a.bin has 4
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {"a": {"bytes": 4, "ahead": 1}}} | ahead is 1; needed is
      {"ptx": "kernel.ptx", "entry": "k", "args": [], "expect": {"d": "d.bin"}} | expect names buffer "d"
      {"ptx": "kernel.ptx", | is not JSON at line
      [1, 2] | is not a JSON object
      """)
  void saysWhatIsWrongWithALaunch(String json, String complaint) {
    var failure = assertThrows(CommandFailure.class, () -> read(json));
    assertEquals(Exit.BAD_INPUT, failure.exitCode());
    assertTrue(failure.getMessage().contains(complaint), failure.getMessage());
  }

  @Test
  void findsEveryLaunchBelowAFolder() throws IOException {
    var deep = Files.createDirectories(folder.resolve("x").resolve("y")).resolve("launch.json");
    var flat = folder.resolve("launch.json");
    Files.writeString(deep, "{}");
    Files.writeString(flat, "{}");
    assertEquals(List.of(flat, deep), LaunchSearch.of(List.of(folder)).files());
    assertThrows(CommandFailure.class, () -> LaunchSearch.of(List.of(folder.resolve("z"))));
  }

  @Test
  void buffersAndFilesAreAddedUpBeforeAnyIsAllocated() throws IOException {
    Files.write(folder.resolve("kernel.ptx"), new byte[1000]);
    var buffers = new StringBuilder("\"a\": {\"file\": \"a.bin\"}");
    for (int i = 0; i < 8; i++) buffers.append(", \"b").append(i).append("\": {\"bytes\": 2147483639}");
    var launch = Files.writeString(folder.resolve("launch.json"), """
        {"ptx": "kernel.ptx", "entry": "k", "args": [], "buffers": {%s}, "expect": {"a": "d.bin"}}
        """.formatted(buffers));
    var failure = assertThrows(CommandFailure.class, () -> LaunchFile.read(launch, false, MemoryLimit.ofOption(1000)));
    assertEquals(Exit.ENVIRONMENT, failure.exitCode());
    // Eight buffers, kernel.ptx, a.bin and d.bin.
    assertEquals(launch + ": needs " + (8 * 2147483639L + 1000 + 4 + 4) + " bytes for its buffers and files; the limit "
        + "is 1048576000 (--limit-memory)", failure.getMessage());
  }

  private LaunchFile read(String json) throws IOException {
    return LaunchFile.read(Files.writeString(folder.resolve("launch.json"), json));
  }
}
