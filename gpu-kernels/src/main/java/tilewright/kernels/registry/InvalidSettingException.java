package tilewright.kernels.registry;

/** A value that a kernel's setting does not allow. */
public final class InvalidSettingException extends IllegalArgumentException {
  private static final long serialVersionUID = 1;
  private final String setting;
  private final String value;
  private final String needed;

  /** @param needed the values that are allowed, in words */
  public InvalidSettingException(String setting, String value, String needed) {
    super("invalid " + setting + "=" + value + ": " + needed);
    this.setting = setting;
    this.value = value;
    this.needed = needed;
  }

  public String setting() {
    return setting;
  }

  public String value() {
    return value;
  }

  /** The values that are allowed, in words. */
  public String needed() {
    return needed;
  }
}
