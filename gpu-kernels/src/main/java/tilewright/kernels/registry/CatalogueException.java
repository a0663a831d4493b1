package tilewright.kernels.registry;

/** A catalogue that cannot be added to the registry: without kernels, or with a name that is taken. */
public final class CatalogueException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CatalogueException(String message) {
    super(message);
  }
}
