"""Facts about SageMaker instance types: hardware, offers and prices per region, each with its source and date.

The facts are tables in ``data/``; ``docs/guides/catalog.md`` explains their columns and how to add to them.
"""

from sizewell.instance_selection.catalog.catalog import Catalog as Catalog
from sizewell.instance_selection.catalog.catalog import SpotHistory as SpotHistory
from sizewell.instance_selection.catalog.catalog import UnknownInstanceTypeError as UnknownInstanceTypeError
from sizewell.instance_selection.catalog.catalog import UnknownNameError as UnknownNameError
from sizewell.instance_selection.catalog.catalog import UnknownRegionError as UnknownRegionError
from sizewell.instance_selection.catalog.instance_types import Accelerator as Accelerator
from sizewell.instance_selection.catalog.instance_types import Cpu as Cpu
from sizewell.instance_selection.catalog.instance_types import InstanceType as InstanceType
from sizewell.instance_selection.catalog.instance_types import Usage as Usage
from sizewell.instance_selection.catalog.loading import catalog_version as catalog_version
from sizewell.instance_selection.catalog.loading import load_catalog as load_catalog
from sizewell.instance_selection.catalog.loading import load_ec2_catalog as load_ec2_catalog
from sizewell.instance_selection.catalog.loading import regions as regions
from sizewell.instance_selection.catalog.offers import Offer as Offer
from sizewell.instance_selection.catalog.prices import EC2 as EC2
from sizewell.instance_selection.catalog.prices import Price as Price
from sizewell.instance_selection.catalog.prices import PriceBasis as PriceBasis
from sizewell.instance_selection.catalog.prices import PriceRatio as PriceRatio
from sizewell.instance_selection.catalog.prices import PriceRow as PriceRow
from sizewell.instance_selection.catalog.refreshed import PACKAGED as PACKAGED
from sizewell.instance_selection.catalog.refreshed import REFRESHABLE as REFRESHABLE
from sizewell.instance_selection.catalog.refreshed import RefreshedTables as RefreshedTables
