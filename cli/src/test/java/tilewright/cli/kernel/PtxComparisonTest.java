package tilewright.cli.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.cli.Cli;
import tilewright.verification.TracedKernel;

/** {@code ptx --all --compare} finds each configuration whose PTX is not what {@code ptx --all --out} wrote. */
class PtxComparisonTest {
  @TempDir
  Path parent;

  private Path records;
  private Path folder;

  @BeforeEach
  void makeRecords() throws IOException {
    records = Files.createDirectory(parent.resolve("records"));
    Files.writeString(records.resolve("memory.json"), """
        {"rows": [{"kernel": "add", "config": "n=12345 dtype=f16 vec=8 math=single"}]}""");
    folder = parent.resolve("before");
  }

  private Cli all(List<String> kernels, String... options) {
    var arguments = Stream.of(Stream.of("ptx", "--all", "--records", records.toString()), kernels.stream(),
        Stream.of(options)).flatMap(part -> part).toArray(String[]::new);
    return Cli.run(arguments);
  }

  private Cli write(String... kernels) {
    return all(List.of(kernels), "--out", folder.toString());
  }

  private Cli compare(String... kernels) {
    return all(List.of(kernels), "--compare", folder.toString());
  }

  @Test
  void whatIsWrittenIsTheSameWhenItIsTracedAgain() {
    var written = write("vector_add", "transpose");
    assertEquals(0, written.exitCode(), written.err());
    assertTrue(written.out().matches("\\S+before: \\d+ configurations, 0 of them refused, \\d+ distinct texts, .*\n"),
        written.out());
    var compared = all(List.of("vector-add", "transpose"), "--compare", folder.toString(), "--json");
    assertEquals(0, compared.exitCode(), compared.err());
    var result = compared.json().getFirst();
    assertTrue(result.get("compared").asInt() > 4);
    assertEquals(result.get("compared"), result.get("equal"));
    assertEquals(0, result.get("onlyAfter").asInt());
  }

  @Test
  void casesDefaultsVariantsAndRecordsAreThere() {
    assertEquals(0, write("add").exitCode());
    var configs = PtxFolder.read(folder).index().configurations().stream().map(PtxFolder.Entry::config).toList();
    assertTrue(configs.containsAll(List.of("default", "n=12345 dtype=f16 vec=8 math=single")), configs.toString());
    assertTrue(configs.stream().anyMatch(config -> config.endsWith("with NaN and infinities")), configs.toString());
  }

  @Test
  void aTextOfBeforeThatIsNoMoreIsShown() throws IOException {
    assertEquals(0, write("vector_add").exitCode());
    replace("default", new TracedKernel("vector_add", "default", "add.f32 %f32_1, %f32_2, %f32_3;\n"));
    var compared = compare("vector_add");
    assertEquals(1, compared.exitCode(), compared.err());
    assertTrue(compared.out().startsWith("different: vector_add default\n  line 1\n  - add.f32 %f32_1, %f32_2,"
        + " %f32_3;\n  + // block"), compared.out());
    assertTrue(compared.out().contains(" 1 different;"), compared.out());
  }

  @Test
  void configurationsAreKnownByTheirTextsWhereTheirNamesChange() throws IOException {
    assertEquals(0, write("vector_add").exitCode());
    edit("\"default\"", "\"as it comes\"");
    var compared = compare("vector_add");
    assertEquals(0, compared.exitCode(), compared.err());
    assertTrue(compared.out().contains(" 1 renamed, 0 only before, 1 only after"), compared.out());
  }

  @Test
  void aConfigurationThatIsGoneIsNamed() throws IOException {
    assertEquals(0, write("vector_add").exitCode());
    replace("default", new TracedKernel("vector_add", "vec=32", "ret;\n"));
    var compared = compare("vector_add");
    assertEquals(1, compared.exitCode(), compared.err());
    assertTrue(compared.out().contains("only before: vector_add vec=32\n"), compared.out());
  }

  /** Configurations of kernels that are not asked for do not count as missing. */
  @Test
  void someKernelsMayBeComparedWithAFolderOfMore() {
    assertEquals(0, write("vector_add", "transpose").exitCode());
    assertEquals(0, compare("transpose").exitCode());
  }

  @Test
  void onlyAFolderOfItsOwnIsReadOrReplaced() throws IOException {
    Files.createDirectory(folder);
    Files.writeString(folder.resolve("precious"), "");
    var compared = compare("vector_add");
    assertEquals(2, compared.exitCode());
    assertTrue(compared.err().contains("has no index.json: it is not one that ptx --all --out wrote"), compared.err());
    assertEquals(2, write("vector_add").exitCode());
    assertTrue(Files.exists(folder.resolve("precious")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "{}", "null", "{\"format\": \"tilewright ptx 1\"}", "{\"format\": \"other\","
      + " \"commit\": \"c\", \"configurations\": []}", "{\"format\": \"tilewright ptx 1\", \"commit\": \"c\","
      + " \"configurations\": [{\"kernel\": \"vector_add\", \"config\": \"default\", \"ptx\": \"../../secret\"}]}"})
  void anIndexThatIsNoneIsBadInput(String index) throws IOException {
    Files.createDirectory(folder);
    Files.writeString(folder.resolve("index.json"), index);
    var compared = compare("vector_add");
    assertEquals(2, compared.exitCode(), compared.err());
    assertTrue(compared.err().contains("index.json: "), compared.err());
    assertFalse(compared.err().contains("unexpected"), compared.err());
  }

  @Test
  void aTextThatIsNotWhatWasWrittenIsBadInput() throws IOException {
    assertEquals(0, write("vector_add").exitCode());
    replace("default", new TracedKernel("vector_add", "default", "ret;\n"));
    try (var files = Files.list(folder)) {
      for (var file : files.filter(f -> f.toString().endsWith(".gz")).toList()) compress(file, "other");
    }
    var compared = compare("vector_add");
    assertEquals(2, compared.exitCode(), compared.err());
    assertTrue(compared.err().contains("is not what ptx --all --out wrote"), compared.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"ptx --all", "ptx vector_add --out x", "ptx --all --out x --compare y", "ptx --compare x",
      "ptx --all --out x --set n=5", "ptx --all no_such_kernel --out x", "ptx --all --compare no-such-folder",
      "ptx --all vector_add --out x --records no-such-folder", "ptx vector_add transpose"})
  void whatDoesNotGoTogetherIsBadInput(String command) {
    var run = Cli.run(command.split(" "));
    assertEquals(2, run.exitCode(), run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertFalse(Files.exists(Path.of("x")));
  }

  /** Gives a configuration in the folder another name and text. */
  private void replace(String config, TracedKernel by) throws IOException {
    var old = PtxFolder.read(folder).index().configurations().stream().filter(entry -> entry.config().equals(config))
        .findFirst().orElseThrow();
    var entry = PtxFolder.entry(by);
    edit("\"config\":\"" + config + "\",\"ptx\":\"" + old.ptx(), "\"config\":\"" + entry.config() + "\",\"ptx\":\""
        + entry.ptx());
    compress(folder.resolve(entry.ptx() + ".ptx.gz"), by.ptx());
  }

  private void edit(String before, String after) throws IOException {
    var index = folder.resolve("index.json");
    var text = Files.readString(index);
    assertTrue(text.contains(before), text);
    Files.writeString(index, text.replace(before, after));
  }

  private static void compress(Path file, String text) throws IOException {
    try (var out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
  }
}
