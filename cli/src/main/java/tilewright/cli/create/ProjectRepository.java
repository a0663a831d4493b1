package tilewright.cli.create;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.InputFile;

/**
 * A Maven repository of the jars that run this program. Its version names their contents, so that the copies that Maven
 * keeps of it elsewhere are never those of another build.
 *
 * @param jars by artifact
 */
record ProjectRepository(String version, Map<String, byte[]> jars) {
  private static final String RELEASE = "0.1.0";
  static final String JCUDA = "12.6.0";
  /** Tilewright's libraries from the bottom: a class of each, and its dependencies as its POM has them. */
  static final List<Artifact> ARTIFACTS = List.of(
      new Artifact("layout-algebra", "tilewright.layout.Layout"),
      new Artifact("cpu-reference", "tilewright.numerics.ElementType", "layout-algebra"),
      new Artifact("ptx", "tilewright.ptx.PtxModule"),
      new Artifact("simulator", "tilewright.simulator.Simulator", "ptx", "cpu-reference"),
      new Artifact("gpu-kernels", "tilewright.kernel.Kernel", "layout-algebra", "cpu-reference", "ptx", "jcuda",
          "jcuda-natives"),
      new Artifact("sm90", "tilewright.sm90.BulkVectorAdd", "gpu-kernels"),
      new Artifact("sm100", "tilewright.sm100.PackedVectorAdd", "gpu-kernels"),
      new Artifact("ops", "tilewright.ops.Simulate", "layout-algebra", "cpu-reference", "ptx", "simulator",
          "gpu-kernels", "sm90", "sm100"),
      new Artifact("junit", "tilewright.junit.KernelTest", "ops", "junit-jupiter-api"));

  /** A library and what it uses. */
  record Artifact(String id, String sample, List<String> uses) {
    Artifact(String id, String sample, String... uses) {
      this(id, sample, List.of(uses));
    }
  }

  /**
   * Reads the jars beside this program, or makes them from its folders of classes.
   *
   * @throws CommandFailure naming the library that cannot be read
   */
  static ProjectRepository ofThisProgram() {
    var jars = new TreeMap<String, byte[]>();
    for (var artifact : ARTIFACTS) jars.put(artifact.id, jar(artifact));
    var sum = new CRC32();
    jars.values().forEach(sum::update);
    return new ProjectRepository(RELEASE + "-" + HexFormat.of().toHexDigits((int) sum.getValue()), jars);
  }

  private static byte[] jar(Artifact artifact) {
    try {
      var sample = Class.forName(artifact.sample, false, ProjectRepository.class.getClassLoader());
      var origin = Path.of(sample.getProtectionDomain().getCodeSource().getLocation().toURI());
      return Files.isDirectory(origin) ? packed(origin) : Files.readAllBytes(origin);
    } catch (ClassNotFoundException | LinkageError | URISyntaxException e) {
      throw CommandFailure.environmentLacks("this build of Tilewright lacks the library " + artifact.id
          + ": build it anew");
    } catch (IOException e) {
      throw CommandFailure.environmentLacks("the library " + artifact.id + " cannot be read: "
          + InputFile.reason(e));
    }
  }

  private static byte[] packed(Path folder) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes); var files = Files.walk(folder)) {
      for (var file : files.filter(Files::isRegularFile).sorted().toList()) {
        var entry = new ZipEntry(folder.relativize(file).toString());
        entry.setTime(0);
        zip.putNextEntry(entry);
        Files.copy(file, zip);
      }
    }
    return bytes.toByteArray();
  }

  /** Writes the jars and a POM for each as Maven looks for them. */
  void writeTo(Path folder) throws IOException {
    for (var artifact : ARTIFACTS) {
      var place = Files.createDirectories(folder.resolve("dev/tilewright").resolve(artifact.id).resolve(version));
      var file = artifact.id + "-" + version;
      Files.write(place.resolve(file + ".jar"), jars.get(artifact.id));
      Files.writeString(place.resolve(file + ".pom"), pom(artifact));
    }
  }

  private String pom(Artifact artifact) {
    return """
        <?xml version="1.0" encoding="UTF-8"?>
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>dev.tilewright</groupId>
          <artifactId>%s</artifactId>
          <version>%s</version>
          <dependencies>
        %s  </dependencies>
        </project>
        """.formatted(artifact.id, version, artifact.uses.stream().map(this::dependency)
            .map(d -> "    <dependency>" + d + "</dependency>\n").collect(Collectors.joining()));
  }

  private String dependency(String id) {
    return switch (id) {
      case "jcuda" -> coordinates("org.jcuda", id, JCUDA) + "<exclusions><exclusion><groupId>org.jcuda</groupId>"
          + "<artifactId>jcuda-natives</artifactId></exclusion></exclusions>";
      case "jcuda-natives" -> coordinates("org.jcuda", id, JCUDA) + "<classifier>linux-x86_64</classifier>";
      case "junit-jupiter-api" -> coordinates("org.junit.jupiter", id, ProjectFiles.JUNIT);
      default -> coordinates("dev.tilewright", id, version);
    };
  }

  private static String coordinates(String group, String id, String version) {
    return "<groupId>" + group + "</groupId><artifactId>" + id + "</artifactId><version>" + version + "</version>";
  }
}
