"""Regenerates one study or all of them: Markdown, CSV and SVG files in a folder."""

import argparse
import pathlib
import sys

import black_box
import classification
import components
import components_figures
import components_privacy
import least_noise
import least_squares
import least_squares_figures
import models
import models_components
import ndis
import per_instance
import per_instance_data
import spherical
from program import ProgramFailed

STUDIES = {study.name: study
           for study in [*spherical.STUDIES, *least_noise.STUDIES, *ndis.STUDIES, *least_squares.STUDIES,
                        *least_squares_figures.STUDIES, *black_box.STUDIES, *classification.STUDIES, *per_instance.STUDIES,
                        *per_instance_data.STUDIES, *components.STUDIES,
                        *components_figures.STUDIES, *components_privacy.STUDIES, *models.STUDIES,
                        *models_components.STUDIES]}


def arguments():
    known = "\n".join(f"  {study.name:26} {study.what}" for study in STUDIES.values())
    parser = argparse.ArgumentParser(
        prog="reproduction/run", description=__doc__, epilog="studies:\n" + known,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", nargs="?", choices=STUDIES, metavar="STUDY",
                        help="only this one (below)")
    parser.add_argument("--quick", action="store_true", help="fewer points, in seconds")
    parser.add_argument("--output", type=pathlib.Path, metavar="FOLDER",
                        default=pathlib.Path(__file__).parent / "results",
                        help="where the files go, reproduction/results by default")
    return parser.parse_args()


def main():
    request = arguments()
    request.output.mkdir(parents=True, exist_ok=True)
    for name in [request.study] if request.study else STUDIES:
        print(f"reproduction: {name}", file=sys.stderr)
        try:
            result = STUDIES[name].make(request.output, name, request.quick)
        except least_squares.DataMissing as reason:
            print(f"reproduction: {name} skipped: {reason}", file=sys.stderr)
            continue
        result.write(request.output, name)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ProgramFailed as error:
        sys.exit(f"reproduction: {error}")
