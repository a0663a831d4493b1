package tilewright.cli.layout;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;
import tilewright.cli.io.Excerpt;
import tilewright.layout.Dialect;

/** The dialects of CuTe that expressions are evaluated in, as {@code --dialect} calls them. */
enum LayoutDialect {
  CUTE_CPP(Dialect.CUTE_CPP),
  CUTE_DSL(Dialect.CUTE_DSL),
  PYCUTE(Dialect.PYCUTE);

  static final String DESCRIPTION =
      "Where implementations of CuTe differ, evaluate as in cute-cpp (default), cute-dsl or pycute.";

  private final Dialect dialect;

  LayoutDialect(Dialect dialect) {
    this.dialect = dialect;
  }

  Dialect dialect() {
    return dialect;
  }

  /** Reads the value of the option. */
  static final class Converter implements ITypeConverter<LayoutDialect> {
    @Override
    public LayoutDialect convert(String name) {
      return switch (name.toLowerCase(Locale.ROOT)) {
        case "cute-cpp" -> CUTE_CPP;
        case "cute-dsl" -> CUTE_DSL;
        case "pycute" -> PYCUTE;
        default -> throw new TypeConversionException("unknown dialect '" + Excerpt.of(name, 40)
            + "'; there are cute-cpp, cute-dsl and pycute");
      };
    }
  }
}
