package tilewright.kernels.registry;

import java.io.File;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** The classes of a package, from wherever one of them came: a folder, a jar or a runtime image. */
public final class PackageClasses {
  private PackageClasses() {}

  /**
   * The top-level classes of a class's package, by name; none is initialised.
   *
   * @throws IllegalStateException naming what cannot be read or loaded
   */
  public static List<Class<?>> beside(Class<?> one) {
    var file = Objects.requireNonNull(one.getResource(one.getSimpleName() + ".class"), () -> "no file of " + one);
    try {
      return names(file).<Class<?>>map(name -> load(one.getPackageName() + "." + name, one)).toList();
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException("cannot read what is beside " + file, e);
    }
  }

  private static Stream<String> names(URL file) throws IOException, URISyntaxException {
    if (file.openConnection() instanceof JarURLConnection jar) {
      var folder = jar.getEntryName().substring(0, jar.getEntryName().lastIndexOf('/') + 1);
      try (var entries = new JarFile(new File(jar.getJarFileURL().toURI()))) {
        return names(folder, entries.stream().map(ZipEntry::getName).toList());
      }
    }
    try (var files = Files.list(Path.of(file.toURI()).getParent())) {
      return names("", files.map(other -> other.getFileName().toString()).toList());
    }
  }

  /** The names of top-level classes: a dollar marks a nested class, a hyphen the package's description. */
  private static Stream<String> names(String folder, List<String> files) {
    var file = Pattern.compile(Pattern.quote(folder) + "([^/$-]+)[.]class");
    return files.stream().map(file::matcher).filter(Matcher::matches).map(found -> found.group(1)).sorted();
  }

  private static Class<?> load(String name, Class<?> neighbour) {
    try {
      return Class.forName(name, false, neighbour.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      throw new IllegalStateException("cannot load " + name + ", found beside " + neighbour.getName() + ": " + e, e);
    }
  }
}
