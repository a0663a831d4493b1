package tilewright.cli.create;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/** The files of a project, from templates beside this class. */
record ProjectFiles(String name, String version) {
  /** The JUnit that Tilewright's own tests run under, so that who has built Tilewright has it already. */
  static final String JUNIT = "6.1.3";

  /** The class's name: {@code bias_relu} becomes {@code BiasRelu}. */
  String className() {
    return Arrays.stream(name.split("_")).map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
        .collect(Collectors.joining());
  }

  void writeTo(Path folder) throws IOException {
    var main = "src/main/java/" + name + "/";
    write(folder, "pom.xml", "pom.xml");
    write(folder, "README.md", "README.md");
    write(folder, "gitignore", ".gitignore");
    write(folder, "Kernel.java", main + className() + ".java");
    write(folder, "Description.java", main + className() + "Description.java");
    write(folder, "Kernels.java", main + "Kernels.java");
    write(folder, "Test.java", "src/test/java/" + name + "/" + className() + "Test.java");
    put(folder, "src/main/resources/META-INF/services/tilewright.kernels.registry.KernelCatalogue",
        name + ".Kernels\n");
  }

  private void write(Path folder, String template, String file) throws IOException {
    put(folder, file, template(template).replace("@NAME@", name).replace("@CLASS@", className())
        .replace("@VERSION@", version).replace("@JUNIT@", JUNIT));
  }

  private static String template(String name) throws IOException {
    try (var in = Objects.requireNonNull(ProjectFiles.class.getResourceAsStream(name + ".txt"), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void put(Path folder, String file, String text) throws IOException {
    var path = folder.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
