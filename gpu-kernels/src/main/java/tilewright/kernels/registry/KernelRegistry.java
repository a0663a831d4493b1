package tilewright.kernels.registry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * Every kernel that is known by name, those that are no family first, each half by architecture. It is found by
 * {@link ServiceLoader} once, and handed to whoever asks for kernels.
 */
public final class KernelRegistry {
  private final List<KernelDescription> kernels;

  private KernelRegistry(List<KernelDescription> kernels) {
    this.kernels = List.copyOf(kernels);
  }

  /**
   * The kernels on this program's class path or module path.
   *
   * @throws CatalogueException when two have one name
   * @throws ServiceConfigurationError when a catalogue cannot be made
   */
  public static KernelRegistry builtIn() {
    var loaded = ServiceLoader.load(KernelCatalogue.class, KernelRegistry.class.getClassLoader()).stream()
        .map(ServiceLoader.Provider::get).sorted(Comparator.comparing(c -> c.getClass().getName())).toList();
    var found = loaded.stream().<KernelDescription>flatMap(KernelCatalogue::kernels).toList();
    var all = found;
    for (var catalogue : loaded) all = all.stream().map(catalogue::extended).toList();
    var ordered = Stream.concat(all.stream().filter(k -> !(k instanceof Family))
        .sorted(Comparator.comparing((KernelDescription k) -> k.target().capability())
            .thenComparing(KernelDescription::name)), all.stream().filter(Family.class::isInstance)).toList();
    return new KernelRegistry(List.of()).with(ordered);
  }

  /**
   * These kernels, and behind them those of the catalogues that a class loader itself defines, not its parents.
   *
   * @throws CatalogueException when there is no catalogue, or a name is taken
   * @throws ServiceConfigurationError when a catalogue cannot be made
   */
  public KernelRegistry with(ClassLoader loader) {
    var added = ServiceLoader.load(KernelCatalogue.class, loader).stream()
        .filter(p -> p.type().getClassLoader() == loader).map(ServiceLoader.Provider::get).toList();
    if (added.isEmpty()) {
      throw new CatalogueException("no kernels: needed is a file META-INF/services/"
          + KernelCatalogue.class.getName() + " that names a class");
    }
    return with(added.stream().<KernelDescription>flatMap(KernelCatalogue::kernels).toList());
  }

  /**
   * These kernels in the configurations that a GPU's limits allow.
   *
   * @param capability the GPU's compute capability times ten, such as 90
   */
  public KernelRegistry on(int capability) {
    return new KernelRegistry(kernels.stream().map(kernel -> kernel.on(capability)).toList());
  }

  private KernelRegistry with(List<KernelDescription> more) {
    var all = new ArrayList<>(kernels);
    var names = new HashSet<>(names());
    for (var kernel : more) {
      if (!names.add(kernel.name())) {
        throw new CatalogueException("a kernel " + kernel.name() + " (" + kernel.getClass().getName()
            + "), but there is one of that name already");
      }
      all.add(kernel);
    }
    return new KernelRegistry(all);
  }

  public List<KernelDescription> kernels() {
    return kernels;
  }

  public List<String> names() {
    return kernels.stream().map(KernelDescription::name).toList();
  }

  public Optional<KernelDescription> find(String name) {
    return kernels.stream().filter(k -> k.name().equals(name)).findFirst();
  }

  public List<Family> families() {
    return kernels.stream().filter(Family.class::isInstance).map(Family.class::cast).toList();
  }

  public Optional<Family> family(String name) {
    return families().stream().filter(f -> f.name().equals(name)).findFirst();
  }
}
