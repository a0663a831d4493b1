package tilewright.cli.io;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Command lines that a command's help shows, each as a shell takes it and without the name of the program. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Examples {
  /** One command line each, such as {@code layout eval '(4,2):(1,4)'}. */
  String[] value();

  /** The line above them. */
  String heading() default "Examples:";
}
