package tilewright.kernels.catalogue;

import java.util.List;
import java.util.stream.Stream;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Setting;

/** A family whose settings are those that all of its kind share, and options of its own. */
abstract class OptionedFamily implements Family {
  private final String name;
  private final String formula;
  private final List<Setting> options;

  OptionedFamily(String name, String formula, List<Setting> options) {
    this.name = name;
    this.formula = formula;
    this.options = List.copyOf(options);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String formula() {
    return formula;
  }

  @Override
  public final List<Setting> settings() {
    return Stream.of(common(), options, tunings()).flatMap(List::stream).toList();
  }

  /** The settings of every family of this kind, extents first. */
  abstract List<Setting> common();

  /** The settings that change only the speed. */
  List<Setting> tunings() {
    return List.of();
  }
}
