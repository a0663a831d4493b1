package tilewright.cli.kernel;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.jar.JarFile;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Failures;
import tilewright.cli.io.InputFile;
import tilewright.kernels.registry.CatalogueException;
import tilewright.kernels.registry.KernelRegistry;

/** The jars with kernels of the user's own, which {@code --classpath} names. */
public final class KernelPath {
  public static final String OPTION = "--classpath";

  private KernelPath() {}

  /**
   * Tilewright's kernels and the user's. The option is read ahead of all others, since every kernel can be a command.
   *
   * @throws CommandFailure if a jar is missing, has no kernels, cannot be loaded, or takes a kernel's name
   */
  public static KernelRegistry registry(String... arguments) {
    var builtIn = KernelRegistry.builtIn();
    var jars = named(arguments);
    if (jars.isEmpty()) return builtIn;
    var loader = new URLClassLoader(jars.stream().map(KernelPath::url).toArray(URL[]::new),
        KernelPath.class.getClassLoader());
    var named = OPTION + " " + String.join(File.pathSeparator, jars);
    try {
      return builtIn.with(loader);
    } catch (CatalogueException e) {
      throw CommandFailure.badInput(named + " has " + e.getMessage());
    } catch (ServiceConfigurationError | RuntimeException | LinkageError e) {
      var failure = CommandFailure.badInput(named + ": its kernels cannot be listed: " + Failures.rootOf(e));
      failure.addSuppressed(e);
      throw failure;
    }
  }

  /** Returns the option's value for each time that it is given. */
  private static List<String> named(String... arguments) {
    var paths = new ArrayList<String>();
    for (int i = 0; i < arguments.length; i++) {
      var argument = arguments[i];
      if (argument.startsWith(OPTION + "=")) paths.add(argument.substring(OPTION.length() + 1));
      if (argument.equals(OPTION) && i + 1 < arguments.length) paths.add(arguments[i + 1]);
    }
    return paths.stream().flatMap(path -> List.of(path.split(File.pathSeparator, -1)).stream()).toList();
  }

  private static URL url(String name) {
    if (name.isEmpty()) throw CommandFailure.badInput("invalid " + OPTION + ": an empty name is no file and no folder");
    var path = path(name);
    if (!Files.exists(path)) throw CommandFailure.badFile(path, "no such file");
    if (!Files.isDirectory(path)) requireJar(path);
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException e) {
      throw CommandFailure.badFile(path, "cannot be read: " + e.getMessage());
    }
  }

  private static Path path(String name) {
    try {
      return Path.of(name);
    } catch (InvalidPathException e) {
      throw CommandFailure.badInput("invalid " + OPTION + ": no file can be called so: " + e.getReason());
    }
  }

  private static void requireJar(Path path) {
    try (var _ = new JarFile(path.toFile())) {
      // That it opens is all.
    } catch (IOException e) {
      throw CommandFailure.badFile(path, "is no jar: " + InputFile.reason(e));
    }
  }
}
