package tilewright.cli.wheel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import tilewright.cli.Cli;
import tilewright.cli.io.Exit;

/** A wheel as pip reads it, and the command's messages. */
class WheelTest {
  private static final Wheel WHEEL = new Wheel("example", "1.2.dev0", "An example", Map.of(
      "example/__init__.py", "pass\n".getBytes(StandardCharsets.UTF_8), "example/data/0000.xz", new byte[] {1, 2, 3}));

  @Test
  void filesAreRecordedWithTheirSums() throws IOException, NoSuchAlgorithmException {
    var files = files(WHEEL.bytes());
    assertEquals(List.of("example-1.2.dev0.dist-info/METADATA", "example-1.2.dev0.dist-info/RECORD",
        "example-1.2.dev0.dist-info/WHEEL", "example/__init__.py", "example/data/0000.xz"),
        List.copyOf(files.keySet()));
    assertRecorded(files, "example-1.2.dev0.dist-info/RECORD");
  }

  static void assertRecorded(Map<String, byte[]> files, String record) throws NoSuchAlgorithmException {
    var recorded = new String(files.get(record), StandardCharsets.UTF_8).lines().toList();
    assertEquals(files.size(), recorded.size());
    for (var line : recorded) {
      var fields = line.split(",", -1);
      if (fields[0].endsWith("RECORD")) continue;
      var content = files.get(fields[0]);
      var sum = MessageDigest.getInstance("SHA-256").digest(content);
      assertEquals("sha256=" + Base64.getUrlEncoder().withoutPadding().encodeToString(sum), fields[1]);
      assertEquals("" + content.length, fields[2]);
    }
  }

  @Test
  void bytesDependOnContentsOnly() {
    assertArrayEquals(WHEEL.bytes(), new Wheel("example", "1.2.dev0", "An example", WHEEL.files()).bytes());
    assertEquals("example-1.2.dev0-py3-none-any.whl", WHEEL.fileName());
    assertEquals("0.1.0.dev0", Wheel.version("0.1.0-SNAPSHOT"));
    assertEquals("0.1.0", Wheel.version("0.1.0"));
  }

  @Test
  void everySourceIsPackaged() throws IOException {
    try (var sources = Files.list(Path.of("../python/tilewright"))) {
      assertEquals(PackageCommand.SOURCES, sources.map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("__pycache__")).sorted().toList());
    }
  }

  @Test
  void whatThereIsNotIsNamedWithWhatThereIs() {
    var operator = Cli.run("package", "--out", "unused", "--operator", "attention");
    assertEquals(Exit.BAD_INPUT, operator.exitCode());
    assertTrue(operator.err().contains("no operator attention: there are attention_forward"), operator.err());
    var architecture = Cli.run("package", "--out", "unused", "--arch", "sm75");
    assertEquals(Exit.BAD_INPUT, architecture.exitCode());
    assertTrue(architecture.err().contains("no kernels for --arch sm75: there are those for sm80"),
        architecture.err());
    var problems = Cli.run("package", "--out", "unused", "--arch", "sm80", "--case", "fp8");
    assertEquals(Exit.BAD_INPUT, problems.exitCode());
    assertTrue(problems.err().contains("no case fp8: there are bf16-all, bf16-all-packed"), problems.err());
    var nowhere = Cli.run("package", "--case", "bf16-all");
    assertEquals(Exit.BAD_INPUT, nowhere.exitCode());
    assertTrue(nowhere.err().contains("--out=DIR"), nowhere.err());
  }

  static Map<String, byte[]> files(byte[] wheel) throws IOException {
    var files = new TreeMap<String, byte[]>();
    try (var zip = new ZipInputStream(new ByteArrayInputStream(wheel))) {
      for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        files.put(entry.getName(), zip.readAllBytes());
      }
    }
    return files;
  }
}
